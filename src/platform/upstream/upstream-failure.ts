export type UpstreamReason =
  | 'unreachable'
  | 'refused_address'
  | 'timeout'
  | 'cancelled'
  | 'too_large'
  | 'protocol'
  | 'tool_missing'
  | 'not_as_reviewed'
  | 'credential_missing'
  | 'crashed'
  | 'not_available'
  | 'http_status'

const SAYS: Record<UpstreamReason, string> = {
  unreachable: 'The provider could not be reached.',
  refused_address: 'The provider lies at an address the policy does not allow.',
  timeout: 'The provider did not answer in time.',
  cancelled: 'The call was cancelled.',
  too_large: 'The provider sent or was asked for more than is allowed.',
  protocol: 'The provider did not keep to its protocol.',
  tool_missing: 'The provider has no such tool.',
  not_as_reviewed: 'The provider defines the tool otherwise than it was reviewed.',
  credential_missing: 'A credential that the policy names is missing.',
  crashed: 'The provider stopped.',
  not_available: 'The provider is not available now.',
  http_status: 'The provider answered with an error status.',
}

/**
 * Why a provider gave no answer. The message is one of a fixed few: nothing of the provider's words,
 * its address, its credentials or the payload can travel in it.
 */
export class UpstreamFailure extends Error {
  readonly reason: UpstreamReason
  /** Whether the request may have reached the provider: what was sent counts, whatever came of it. */
  readonly sent: boolean
  /** The HTTP status, for `http_status`. */
  readonly status: number | undefined
  /** The code of the refusal, where an MCP server gave one. */
  readonly fault_code: number | undefined
  constructor(reason: UpstreamReason, sent: boolean, status?: number, fault_code?: number) {
    super(SAYS[reason])
    this.name = 'UpstreamFailure'
    this.reason = reason
    this.sent = sent
    this.status = status
    this.fault_code = fault_code
  }
}

/** The failure behind anything thrown here. A fault of our own has no text that may leave the hub. */
export function failureOf(error: unknown, sent: boolean): UpstreamFailure {
  return error instanceof UpstreamFailure ? error : new UpstreamFailure('protocol', sent)
}
