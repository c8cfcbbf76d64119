/** What was found of a condition. */
export interface Finding {
  readonly holds: boolean
  /** In the words of the owner. An agent never sees it. */
  readonly detail: string
  /** Where it is not the condition's own code. */
  readonly code?: string
}
