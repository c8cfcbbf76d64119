/** Whether an error is of a kind. By name, because the parts of the built program have their own copies. */
export function isUsageError(error: unknown): error is UsageError {
  return error instanceof Error && error.name === 'UsageError'
}

/** Whether an error says with a code why a command was not carried out. */
export function isCommandFailure(error: unknown): error is CommandFailure {
  return error instanceof Error && error.name === 'CommandFailure'
}

/**
 * The command line was not understood: exit code 2, nothing was done. It may have a code of the hub's all the same,
 * where the hub would have refused the input for it too.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly hint: string
  readonly code: string | undefined

  constructor(message: string, hint: string, code?: string) {
    super(message)
    this.hint = hint
    this.code = code
  }
}

/** The command was understood and not carried out: exit code 1, with a code that programs can read. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly code: string
  readonly hint: string | undefined

  constructor(code: string, message: string, hint?: string) {
    super(message)
    this.code = code
    this.hint = hint
  }
}
