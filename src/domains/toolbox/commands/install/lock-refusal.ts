import { ToolFault } from '../../tool-fault.ts'

/** A lockfile that asks for something that is not fetched, in words that say which entry it is. */
export function lockRefused(file: string, entry: string, problem: string): ToolFault {
  return refused(
    'lockfile',
    file,
    entry,
    problem,
    'Only packages of the public registry with a checksum are installed. Ask the owner to change the lockfile.',
  )
}

/** A manifest that would send the package manager elsewhere than its lockfile does. */
export function manifestRefused(file: string, entry: string, problem: string, allowed: string): ToolFault {
  return refused('manifest', file, entry, problem, allowed)
}

function refused(kind: string, file: string, entry: string, problem: string, allowed: string): ToolFault {
  return new ToolFault(
    'PolicyViolation',
    `${file}: ${JSON.stringify(entry)} ${problem}. Nothing was installed.`,
    allowed,
    { violation: { violation_type: kind, target_path: file, command_args: [entry] } },
  )
}

/** A lockfile that cannot be read for what it is. */
export function lockInvalid(file: string, problem: string): ToolFault {
  return new ToolFault(
    'ValidationError',
    `${file} ${problem}. Nothing was installed.`,
    'Ask the owner to write the lockfile anew with the package manager.',
  )
}

/** A manifest that cannot be read for what it is. */
export function manifestInvalid(file: string, problem: string): ToolFault {
  return new ToolFault(
    'ValidationError',
    `${file} ${problem}. Nothing was installed.`,
    'Write it in the plain form that the package manager documents.',
  )
}
