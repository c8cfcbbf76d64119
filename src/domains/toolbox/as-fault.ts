import { PlatformLacks } from '../../platform/basics/c-library.ts'
import { type DenialReason, FileFault, GuardDenied } from '../../platform/guard/guard.ts'
import { PatternInvalid, PatternTimeout, ThreadUnavailable } from '../../platform/patterns/patterns.ts'
import { SandboxUnavailable } from '../../platform/sandbox/sandbox.ts'
import { SUGGESTIONS, TOOL_ERRORS } from './tool-errors.ts'
import { type FaultCode, ToolFault } from './tool-fault.ts'

/** What the hub's own refusals are called in the toolbox. */
const MEANINGS: Readonly<Record<string, FaultCode>> = {
  BAD_REQUEST: 'ValidationError',
  UNAUTHENTICATED: 'PermissionDenied',
  FORBIDDEN: 'PermissionDenied',
  VAULT_DENIED: 'PermissionDenied',
  HOST_DENIED: 'PermissionDenied',
  ORIGIN_DENIED: 'PermissionDenied',
  NOT_FOUND: 'ToolNotFound',
  PAYLOAD_TOO_LARGE: 'ValidationError',
  UNSUPPORTED_MEDIA_TYPE: 'ValidationError',
  RATE_LIMITED: 'RateLimitExceeded',
  LOCKED: 'Locked',
  STORAGE_UNAVAILABLE: 'StorageUnavailable',
}

/** The toolbox's name for a code of the hub's; its own codes stay as they are. */
export function faultCodeOf(code: string): FaultCode {
  if (Object.hasOwn(TOOL_ERRORS, code)) return code as FaultCode
  return MEANINGS[code] ?? 'InternalError'
}

const DENIALS: Readonly<Record<DenialReason, string>> = {
  outside: 'The path leads outside of your service.',
  blocked: 'The path leads into a closed zone.',
  read_only: 'This can be read but not changed.',
  hard_link: 'The file has more than one name, so what it belongs to cannot be told.',
  device: 'The path crosses to another device or mount.',
  special_file: 'This is neither a plain file nor a folder.',
  link_loop: 'The path leads through too many links.',
  changed: 'The file changed while it was looked at.',
  role: 'Your role reads documents and plans only.',
  repository:
    'Git would take the folder for a repository of its own, with settings that run programs, now or with what a branch brings.',
}

/** What to do about a denial; where nothing stands, what is said of every one. None tells what is there. */
const ADVICE: Readonly<Partial<Record<DenialReason, string>>> = {
  blocked:
    'Names such as .env, .git, .flow, secrets and node_modules are closed to every tool: go on without it.',
  read_only: 'Write inside your service; shared folders can be read only.',
  hard_link: 'Leave it alone, or ask the owner to make it a file with one name.',
  changed: 'Try again.',
  role: 'Name a path that begins with docs/ or plans/.',
  repository:
    'No tool writes a file called HEAD, and no folder may get all of HEAD, objects and refs: use another name. ' +
    'What lies in such a folder already is for the owner to change; have tests make repositories below /tmp.',
}

/** Whatever a tool may throw, as a fault; undefined for an error that nobody foresaw. */
export function asFault(error: unknown): ToolFault | undefined {
  if (error instanceof ToolFault) return error
  if (error instanceof GuardDenied) return denialFault(error)
  if (error instanceof FileFault) return new ToolFault(error.code, error.message, SUGGESTIONS[error.code])
  if (error instanceof PatternInvalid)
    return new ToolFault('ValidationError', error.message, 'Change the pattern as the message says.')
  if (error instanceof PatternTimeout)
    return new ToolFault(
      'SecurityError',
      'The pattern took too long in one file and was stopped.',
      'Use a pattern that is simpler or matches less often, or name a path with smaller files.',
    )
  if (error instanceof ThreadUnavailable)
    return new ToolFault('IOError', error.message, SUGGESTIONS.IOError, { cause: error })
  if (error instanceof SandboxUnavailable)
    return new ToolFault('SandboxUnavailable', error.message, SUGGESTIONS.SandboxUnavailable)
  if (error instanceof PlatformLacks)
    return new ToolFault('NotSupported', error.message, 'Ask the owner to run the hub on Linux.')
  return undefined
}

/** A fault in its constant words. */
export function plainFault(code: FaultCode, message?: string): ToolFault {
  return new ToolFault(code, message ?? TOOL_ERRORS[code].message, SUGGESTIONS[code])
}

function denialFault({ reason, path }: GuardDenied): ToolFault {
  const violation = { violation_type: `scope_${reason}`, target_path: path, command_args: [] }
  const code = reason === 'role' ? 'PermissionDenied' : 'SecurityError'
  return new ToolFault(code, DENIALS[reason], ADVICE[reason] ?? SUGGESTIONS.SecurityError, { violation })
}
