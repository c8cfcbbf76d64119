import { chmodSync, closeSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PlatformLacks } from '../basics/c-library.ts'
import { ensurePrivateFolder, syncPath } from '../basics/private-file.ts'
import { writeWhole } from '../basics/write-whole.ts'
import { tryLock, unlock } from '../trees/flock.ts'
import { type Exchanged, exchangeFiles } from './exchange-files.ts'
import { digestOf, NO_DIGEST, type PolicyFile, readPolicyFile } from './policy-file.ts'

const PATIENCE_MS = 10_000
const LOOK_MS = 20
/** A change takes some milliseconds. */
const LEFT_MS = 5_000
const PRIVATE = 0o600
const PERMISSIONS = 0o777
/** A hand that saves again and again between two steps is no hand. */
const ROUNDS = 100

/** Somebody else was at it for too long. */
class PolicyBusy extends Error {
  override readonly name = 'PolicyBusy'
}

/** What came of it: whether the new text is in its place, and texts that came between and lie nowhere any more. */
export interface Placed {
  readonly done: boolean
  readonly displaced: readonly string[]
}

/** Where the file lies that was replaced last: an editor that had it open writes on there. */
export function replacedPath(path: string): string {
  return `${path}.replaced`
}

type Exchange = (one: string, other: string) => Exchanged

/**
 * Puts a text in the place of a policy, if that is still the one it was made from. Whoever saves the file by hand
 * meanwhile wins: theirs stays, or comes back in the next moment.
 */
export async function putInPlace(
  path: string,
  base: PolicyFile,
  text: string,
  exchange: Exchange = exchangeFiles,
): Promise<Placed> {
  ensurePrivateFolder(dirname(path))
  const letGo = await holdPlace(path)
  try {
    return place(path, base, text, exchange)
  } finally {
    letGo()
  }
}

/** Changes of one home are made one after the other, whichever process makes them. Answers what ends that. */
async function holdPlace(path: string): Promise<() => void> {
  const folder = dirname(path)
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const letGo = tryHold(folder)
    if (letGo) return letGo
    if (performance.now() > until) throw new PolicyBusy(folder)
    await sleep(LOOK_MS)
  }
}

function tryHold(folder: string): (() => void) | undefined {
  try {
    return tryLockFolder(folder)
  } catch (error) {
    if (error instanceof PlatformLacks) return tryLockFile(join(folder, 'policy.lock'))
    throw error
  }
}

function tryLockFolder(folder: string): (() => void) | undefined {
  const fd = openSync(folder, 'r')
  let is_held = false
  try {
    is_held = tryLock(fd, 'exclusive')
  } finally {
    if (!is_held) closeSync(fd)
  }
  if (!is_held) return undefined
  return () => {
    unlock(fd)
    closeSync(fd)
  }
}

/** Where folders cannot be locked a file stands for that. One that a killed process left counts for a while. */
function tryLockFile(file: string): (() => void) | undefined {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats && Date.now() - stats.mtimeMs > LEFT_MS) rmSync(file, { force: true })
  try {
    closeSync(openSync(file, 'wx', PRIVATE))
    return () => rmSync(file, { force: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw error
  }
}

function place(path: string, base: PolicyFile, text: string, exchange: Exchange): Placed {
  const draft = `${path}.next`
  writeDraft(draft, text, base)
  try {
    if (base.text === undefined) return { done: putWhereNothingIs(draft, path), displaced: [] }
    if (readPolicyFile(path).digest !== base.digest) return { done: false, displaced: [] }
    return swap(path, draft, base.digest, text, exchange)
  } finally {
    rmSync(draft, { force: true })
    syncPath(dirname(path))
  }
}

/** What a hub left that was killed here is nobody's: the folder is held. */
function writeDraft(draft: string, text: string, { stats }: PolicyFile): void {
  rmSync(draft, { force: true })
  const file = openSync(draft, 'wx', PRIVATE)
  try {
    writeWhole(file, text)
  } finally {
    closeSync(file)
  }
  chmodSync(draft, stats ? stats.mode & PERMISSIONS : PRIVATE)
  syncPath(draft)
}

function putWhereNothingIs(draft: string, path: string): boolean {
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/**
 * Exchanges draft and file and looks at what came out. Where that is not what was expected, somebody has saved the
 * file in the last moment: it goes back, and what comes out then is looked at in turn.
 */
function swap(path: string, draft: string, base: string, text: string, exchange: Exchange): Placed {
  const ours = digestOf(text)
  let [expected, in_place] = [base, ours]
  for (let round = 0; round < ROUNDS; round++) {
    const exchanged = exchange(draft, path)
    if (exchanged === 'impossible') return step(path, draft, base)
    // Who removes the file by hand has the last word, too.
    if (exchanged === 'missing') return { done: false, displaced: displacedIn(draft, base, ours) }
    const out = digestAt(draft)
    if (out === expected) break
    ;[expected, in_place] = [in_place, out]
  }
  const displaced = displacedIn(draft, base, ours)
  if (in_place === ours) renameSync(draft, replacedPath(path))
  return { done: in_place === ours, displaced }
}

/** What is left in hand, where it was written by neither the hub now nor whoever wrote the file before. */
function displacedIn(draft: string, base: string, ours: string): string[] {
  const { text, digest } = readPolicyFile(draft)
  return text === undefined || digest === base || digest === ours ? [] : [text]
}

/** A link or a folder that was put there by hand goes back as any other edit. */
function digestAt(path: string): string {
  try {
    return readPolicyFile(path).digest
  } catch {
    return 'unreadable'
  }
}

/**
 * Without an exchange: the file is taken out of its place, looked at, and the draft is put where nothing is. For a
 * moment there is no policy, and so nothing is allowed.
 */
function step(path: string, draft: string, base: string): Placed {
  const taken = replacedPath(path)
  if (readPolicyFile(path).digest === NO_DIGEST) return { done: false, displaced: [] }
  renameSync(path, taken)
  const isBase = readPolicyFile(taken).digest === base
  if (isBase) return { done: putWhereNothingIs(draft, path), displaced: [] }
  if (putWhereNothingIs(taken, path)) {
    rmSync(taken)
    return { done: false, displaced: [] }
  }
  const { text } = readPolicyFile(taken)
  return { done: false, displaced: text === undefined ? [] : [text] }
}
