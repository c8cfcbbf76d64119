/** The tokens that the owner's connections hold for providers. Who keeps and renews them stands outside. */
export interface ConnectionTokens {
  /** A token that counts now and is meant for this address; an `UpstreamFailure` where there is none. */
  find(connection_id: string, address: string): Promise<string>
  /** The provider did not take this token: it is not given again, as far as there can be another. */
  refuse(connection_id: string, token: string): void
}
