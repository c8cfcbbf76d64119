import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { writeWhole } from './write-whole.ts'

/** Reads a file only its owner may read, creating it first if there is none. Several processes may race. */
export function readOrCreatePrivateFile(path: string, makeContent: () => string): string {
  const found = findFile(path)
  if (found !== undefined) return found
  createPrivateFile(path, makeContent())
  return readFileSync(path, 'utf8')
}

/** The text of a file, or undefined when there is no such file. Any other trouble is thrown: a pipe would be waited for. */
export function findFile(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new Error(`${path} is not a plain file.`)
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Makes a folder that only its owner may enter. */
export function ensurePrivateFolder(path: string): void {
  if (makeFolders(path, 0o700)) chmodSync(path, 0o700)
}

/**
 * Makes a folder and those above it; answers whether it was not there. Node's own way tries for ever where the
 * kernel takes no new folders, as below /proc.
 */
export function makeFolders(path: string, mode: number): boolean {
  try {
    return makeFolder(path, mode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error
  }
  makeFolders(dirname(path), mode)
  return makeFolder(path, mode)
}

function makeFolder(path: string, mode: number): boolean {
  try {
    mkdirSync(path, { mode })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && statSync(path).isDirectory()) return false
    throw error
  }
}

/** Puts a file only its owner may read in the place of one, in one step: a reader finds either, whole. */
export function replacePrivateFile(path: string, content: string): void {
  writeDraft(path, content, (draft) => renameSync(draft, path))
  syncPath(dirname(path))
}

/** Waits until a file or the entries of a folder are on the disk. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

// Written whole under another name and then linked: a second process sees no half file, and the first wins.
function createPrivateFile(path: string, content: string): void {
  ensurePrivateFolder(dirname(path))
  try {
    writeDraft(path, content, (draft) => linkSync(draft, path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  // What is built upon a key or a witness must not outlive it in a power cut.
  syncPath(dirname(path))
}

function writeDraft(path: string, content: string, use: (draft: string) => void): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeWhole(file, content)
    fsyncSync(file)
    use(draft)
  } finally {
    closeSync(file)
    rmSync(draft, { force: true })
  }
}
