import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Hub } from '../../../operations/hub.ts'
import { keptWith } from '../../../platform/basics/kept-with.ts'
import type { Log } from '../../../platform/basics/plain-log.ts'
import type { System } from '../../../platform/basics/system.ts'
import type { ToolCall } from '../tool.ts'
import { keepLockFiles, type LockFiles } from './lock-files.ts'

/** In the home: out of every agent's reach, and most often on the disk of the projects. */
const LOCKS_FOLDER = 'locks'

/** What locks are kept with: where time, chance and waiting come from. */
export interface LockTools extends System {
  readonly log: Pick<Log, 'warn'>
  /** Files that serve as locks again and again; what one cannot be had for has a new file for a lock. */
  readonly files: LockFiles
  /** Whose locks they are. */
  readonly service: string
  /** Ends the waiting when nobody wants the answer any more. */
  readonly signal: AbortSignal
  /** Goes on evenly, whatever is done to the clock. */
  elapsed_ms(): number
  sleep(ms: number): Promise<void>
}

const lockFilesOf = keptWith(openLockFiles, ({ db }) => db)

function openLockFiles(hub: Hub): LockFiles {
  const files = keepLockFiles(join(hub.home.folder, LOCKS_FOLDER))
  hub.closing.push(async () => files.close())
  return files
}

/** The tools that a call of the toolbox brings. */
export function lockToolsOf(call: Pick<ToolCall<unknown>, 'hub' | 'signal' | 'context'>): LockTools {
  const { hub, signal } = call
  return {
    now: hub.system.now,
    random: hub.system.random,
    log: hub.log,
    files: lockFilesOf(hub),
    service: call.context.service_root,
    signal,
    elapsed_ms: () => performance.now(),
    // An ended wait shows in the signal.
    sleep: (ms) => pause(ms, undefined, { signal }).catch(() => {}),
  }
}
