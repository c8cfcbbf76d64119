import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensurePrivateFolder } from '../../../platform/basics/private-file.ts'
import { realSystem } from '../../../platform/basics/system.ts'
import { takeProcessLock } from '../process-lock.ts'
import { ToolFault } from '../tool-fault.ts'
import type { CommandCall } from './command-call.ts'
import { TURN_LOOK_MS, TURN_LOOKS_MAX } from './command-limits.ts'

/**
 * Lets one command at a time run in a service, of all processes that share the hub's home: while one runs,
 * what another one would have to cover may be moved.
 */
export async function inServiceTurn<Result>(call: CommandCall, act: () => Promise<Result>): Promise<Result> {
  const lock = await waitForLock(lockPath(call), call.signal)
  try {
    return await act()
  } finally {
    lock.release()
  }
}

function lockPath({ context, hub }: CommandCall): string {
  const folder = join(hub.home.folder, 'turns')
  ensurePrivateFolder(folder)
  return join(folder, `${createHash('sha256').update(context.service_root).digest('hex').slice(0, 32)}.lock`)
}

async function waitForLock(path: string, signal: AbortSignal) {
  for (let looks = 0; looks < TURN_LOOKS_MAX; looks++) {
    if (signal.aborted) throw givenUp()
    const lock = takeProcessLock(path, realSystem.now)
    if (lock !== undefined) return lock
    await sleep(TURN_LOOK_MS, undefined, { signal }).catch(() => undefined)
  }
  throw new ToolFault(
    'ResourceBusy',
    'Another command runs in this service. Nothing was run.',
    'Wait for the other command to end, then call again.',
  )
}

function givenUp(): ToolFault {
  return new ToolFault('Timeout', 'The call was given up before its command was begun.', 'Call again.')
}
