import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { mountsOf } from './mount-table.ts'
import { type SandboxMount, SandboxUnavailable } from './sandbox.ts'

const LOOK_MS = 1

/**
 * Waits until bwrap has made all mounts and stands before the start of the command, then compares what is there with
 * what is meant. bwrap finds the places of mounts by name, below folders that are writable on the host: one of which a
 * part was exchanged meanwhile would be covered elsewhere. Answers false where the jail has ended before.
 */
export async function checkMounts(
  pid: number,
  expected: readonly SandboxMount[],
  hasEnded: () => boolean,
): Promise<boolean> {
  while (!isReady(pid)) {
    if (hasEnded()) return false
    await sleep(LOOK_MS)
  }
  const found = new Map(mountsOf(pid).map(({ at, is_writable }) => [at, is_writable ? 'write' : 'read']))
  const meant = new Map(expected.map(({ path, access }) => [path, access]))
  for (const [path, access] of meant) {
    if (found.get(path) === access) continue
    throw new SandboxUnavailable(`${path} was exchanged while the sandbox was made, so nothing was run.`)
  }
  return true
}

// The rights that mounting takes are dropped when the last mount stands, before anything is started.
function isReady(pid: number): boolean {
  try {
    return /^CapEff:\t0+$/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'))
  } catch {
    return false
  }
}
