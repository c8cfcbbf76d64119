import { ToolFault } from '../../tool-fault.ts'

/** A lockfile that asks for something that is not fetched, in words that say which entry it is. */
export function lockRefused(file: string, entry: string, problem: string): ToolFault {
  return new ToolFault(
    'PolicyViolation',
    `${file}: ${JSON.stringify(entry)} ${problem}. Nothing was installed.`,
    'Only packages of the public registry with a checksum are installed. Ask the owner to change the lockfile.',
    { violation: { violation_type: 'lockfile', target_path: file, command_args: [entry] } },
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
