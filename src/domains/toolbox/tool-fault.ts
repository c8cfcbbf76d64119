/** Every way a tool may fail, as the agent reads it in `error.code`. */
export const FAULT_CODES = [
  'ValidationError',
  'SecurityError',
  'PermissionDenied',
  'PolicyViolation',
  'RateLimitExceeded',
  'Locked',
  'ResourceBusy',
  'PatchError',
  'FileNotFound',
  'FileTooLarge',
  'BinaryFile',
  'IsADirectory',
  'NotADirectory',
  'PathTooLong',
  'IOError',
  'CommandFailed',
  'Timeout',
  'OutputLimitExceeded',
  'SandboxUnavailable',
  'NotConfigured',
  'NotSupported',
  'ConfigDamaged',
  'ToolNotFound',
  'StorageUnavailable',
  'InternalError',
] as const
export type FaultCode = (typeof FAULT_CODES)[number]

/** What the owner is told of an attempt that the guard or the command whitelist refused. */
export interface Violation {
  readonly violation_type: string
  readonly target_path: string | null
  readonly command_args: readonly string[]
}

interface MoreOfFault {
  details?: Record<string, unknown>
  violation?: Violation
  retry_after_seconds?: number
  is_checked?: boolean
  cause?: unknown
}

/** A tool call that ends without success, in words that let a model try again better. */
export class ToolFault extends Error {
  override readonly name = 'ToolFault'
  readonly code: FaultCode
  readonly suggestion: string
  /** What a failed command left to show; redacted like any other output. */
  readonly details: Readonly<Record<string, unknown>> | undefined
  /** Set where the owner's stream of violations has to hear of it. */
  readonly violation: Violation | undefined
  /** Set where no check of security said no, whatever its code. */
  readonly is_checked: boolean
  /** Set where waiting helps. */
  readonly retry_after_seconds: number | undefined

  constructor(code: FaultCode, message: string, suggestion: string, more: MoreOfFault = {}) {
    super(message, { cause: more.cause })
    this.code = code
    this.suggestion = suggestion
    this.details = more.details
    this.violation = more.violation
    this.retry_after_seconds = more.retry_after_seconds
    this.is_checked = more.is_checked ?? false
  }
}
