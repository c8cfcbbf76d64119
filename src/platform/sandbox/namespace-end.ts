import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { NAMESPACE_END_MS } from './sandbox-limits.ts'

const LOOK_MS = 2

/** The first process of a jail, told apart from a later one with its number. */
export interface FirstProcess {
  readonly pid: number
  readonly started: string | undefined
}

export function firstProcess(pid: number): FirstProcess {
  return { pid, started: findState(pid)?.started }
}

/**
 * Waits until nothing of a jail is left. bwrap itself ends when its command has; what the command left behind is
 * killed by the kernel after that, and the first process is a zombie, or gone, when no other one is there any more.
 * Answers whether that was so in time; one that cannot be killed, as in a call of a dead network disk, stays.
 */
export async function namespaceEnded({ pid, started }: FirstProcess): Promise<boolean> {
  const deadline = Date.now() + NAMESPACE_END_MS
  while (isAlive(pid, started)) {
    if (Date.now() > deadline) return false
    await sleep(LOOK_MS)
  }
  return true
}

function isAlive(pid: number, started: string | undefined): boolean {
  const found = findState(pid)
  return found !== undefined && found.started === started && found.state !== 'Z' && found.state !== 'X'
}

// After the name, which may hold anything, comes the state as the third field; the start is the 22nd.
function findState(pid: number): { state: string; started: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? '', started: fields[19] ?? '' }
  } catch {
    return undefined
  }
}
