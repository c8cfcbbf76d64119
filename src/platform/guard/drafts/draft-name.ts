import { createHash } from 'node:crypto'
import { findOwnProcess, isGone } from '../../basics/process-name.ts'
import { realSystem } from '../../basics/system.ts'
import { TEMP_PREFIX } from '../blocked-names.ts'

const RANDOM_BYTES = 12
const MACHINE_LETTERS = 16
const NAME = /^(?:(\d{1,10})\.(\d{1,20})\.([0-9a-f]{16})\.)?[0-9a-f]{24}$/

/** A name for a draft that says which process writes it, so that others know when nobody does any more. */
export function newDraftName(): string {
  const own = findOwnProcess()
  const whose = own ? `${own.pid}.${own.started}.${shortMachine(own.machine)}.` : ''
  return `${TEMP_PREFIX}${whose}${realSystem.random(RANDOM_BYTES)}`
}

/** Whose draft a name is for: of a process that is gone, or of one that may be at work. Undefined for any other name. */
export function findDraftOwner(name: string): 'gone' | 'unknown' | undefined {
  if (!name.startsWith(TEMP_PREFIX)) return undefined
  const found = NAME.exec(name.slice(TEMP_PREFIX.length))
  if (!found) return undefined
  const [, pid, started, machine] = found
  const own = findOwnProcess()
  if (pid === undefined || started === undefined || !own || machine !== shortMachine(own.machine))
    return 'unknown'
  return isGone({ pid: Number(pid), started, machine: own.machine }) ? 'gone' : 'unknown'
}

function shortMachine(machine: string): string {
  return createHash('sha256').update(machine).digest('hex').slice(0, MACHINE_LETTERS)
}
