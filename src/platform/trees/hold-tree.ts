import { fstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMutexHeld, withMutex } from '../basics/mutex.ts'
import {
  closeChain,
  type FolderChain,
  isInPlace,
  openAbove,
  openChain,
  TreeUnsound,
  tryLockChain,
} from './folder-chain.ts'
import { isJailAlive } from './live-jails.ts'

/** How long a call waits for those before it. */
const TREE_PATIENCE_MS = 60_000
/** How often it looks; never quite as often as another one. */
const LOOK_MS = 20
const LOOK_SPREAD_MS = 20

/** A folder that nobody else works in, nor in one around it or inside it, until it is released. */
export interface HeldTree {
  /** Where it really lies. */
  readonly path: string
  /** Open for reading; carries the lock, so no child may have it. */
  readonly fd: number
  readonly dev: bigint
  readonly ino: bigint
  release(): void
}

/** Somebody else still worked in the folder, in one around it or inside it, when the wait was over. */
export class TreeBusy extends Error {
  override readonly name = 'TreeBusy'
}

/** The wait was ended because nobody waits for the answer any more. */
export class TreeGivenUp extends Error {
  override readonly name = 'TreeGivenUp'
}

export interface HoldOptions {
  readonly signal: AbortSignal
  readonly patience_ms?: number
}

/**
 * Holds a folder alone, among all processes of this machine, whichever home they have and however they spell its
 * path. The kernel's locks are on the folders themselves: exclusive on this one, shared on all above it. So folders
 * inside each other exclude each other, siblings do not, and the locks go with the process. Every try takes all or
 * nothing, so no two wait for each other.
 */
export async function holdTree(given: string, options: HoldOptions): Promise<HeldTree> {
  const path = realPlace(given)
  return hold(path, () => tryHold(path), options)
}

/**
 * Holds only the folders above one, together with others: nobody works alone in a folder around it meanwhile, but
 * somebody may in the folder itself.
 */
export async function holdAbove(given: string, options: HoldOptions): Promise<Pick<HeldTree, 'release'>> {
  const path = realPlace(given)
  return hold(`${path}/..`, () => tryHoldAbove(path), options)
}

async function hold<Held>(
  path: string,
  tryOnce: () => Held | undefined,
  { signal, patience_ms = TREE_PATIENCE_MS }: HoldOptions,
): Promise<Held> {
  const at_once = signal.aborted || isMutexHeld(turnAt(path)) ? undefined : tryOnce()
  if (at_once !== undefined) return at_once
  const over = AbortSignal.any([signal, AbortSignal.timeout(patience_ms)])
  const asked = await withMutex(turnAt(path), () => askUntil(tryOnce, over), { signal: over }).catch(
    (error: unknown) => {
      if (!over.aborted || error !== over.reason) throw error
      return undefined
    },
  )
  if (asked !== undefined) return asked
  if (signal.aborted) throw new TreeGivenUp()
  throw new TreeBusy(`Somebody else works in ${path}, around it or inside it.`)
}

/** Calls of this process that want one folder ask for it in the order they came. */
const turnAt = (path: string) => `folder ${path}`

async function askUntil<Held>(tryOnce: () => Held | undefined, over: AbortSignal): Promise<Held | undefined> {
  for (;;) {
    const held = tryOnce()
    if (held !== undefined || over.aborted) return held
    await sleep(LOOK_MS + Math.random() * LOOK_SPREAD_MS, undefined, { signal: over }).catch(() => undefined)
  }
}

/** Links above the folder are followed; the folder itself has to be real. */
function realPlace(given: string): string {
  const path = resolve(given)
  try {
    return join(realpathSync(dirname(path)), basename(path))
  } catch (error) {
    throw new TreeUnsound(`${path} cannot be reached (${(error as NodeJS.ErrnoException).code}).`, true)
  }
}

function tryHold(path: string): HeldTree | undefined {
  const chain = openChain(path)
  let is_held = false
  try {
    is_held = tryLockChain(chain) && isInPlace(chain) && !isJailAlive(path, fdOf(chain))
    return is_held ? heldTree(path, chain) : undefined
  } finally {
    if (!is_held) closeChain(chain)
  }
}

function tryHoldAbove(path: string): Pick<HeldTree, 'release'> | undefined {
  const chain = openAbove(path)
  let is_held = false
  try {
    is_held = tryLockChain(chain) && isInPlace(chain)
    return is_held ? { release: releaseOf(chain) } : undefined
  } finally {
    if (!is_held) closeChain(chain)
  }
}

function heldTree(path: string, chain: FolderChain): HeldTree {
  const fd = fdOf(chain)
  const { dev, ino } = fstatSync(fd, { bigint: true })
  return { path, fd, dev, ino, release: releaseOf(chain) }
}

function releaseOf(chain: FolderChain): () => void {
  let is_open = true
  return () => {
    if (is_open) closeChain(chain)
    is_open = false
  }
}

function fdOf(chain: FolderChain): number {
  return chain.at(-1)?.fd ?? -1
}
