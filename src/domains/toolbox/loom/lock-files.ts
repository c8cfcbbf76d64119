import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { realSystem } from '../../../platform/basics/system.ts'
import { folderCalls } from '../../../platform/guard/folder-calls.ts'
import type { ThingIdentity } from '../../../platform/guard/guard.ts'
import { findLockRecord, LOCK_RECORD_MAX_BYTES } from './lock-record.ts'
import { isGone } from './process-name.ts'

const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
const PRIVATE_FOLDER = 0o700
const PRIVATE_FILE = 0o600
const NAME_BYTES = 12
/** More than calls that change files at once; whatever is over is let go. */
const SPARES_MAX = 64

/** A file of the hub's own that is made a lock by giving it a second name. */
export interface LockFile {
  readonly path: string
  readonly fd: number
  /** The service whose locks it serves: code that runs there may hold it open, and shall touch no others. */
  readonly service: string
  readonly identity: ThingIdentity | undefined
  /** How many bytes were written to it last. */
  length: number
}

/**
 * Files that serve as locks one after the other. Making and removing a file for every lock is most of what an edit
 * asks of some disks; giving a file a name and taking it away again is next to nothing. Each serves one lock at a
 * time, so which file lies under a lock's name still tells whose it is.
 */
export interface LockFiles {
  /** A file with this content that nobody else uses; nothing where none can be had. */
  take(service: string, content: Buffer): LockFile | undefined
  /** Takes a file back whose lock has ended. */
  giveBack(file: LockFile): void
  close(): void
}

/** Keeps lock files in a folder; it and they are made when first needed. */
export function keepLockFiles(folder: string): LockFiles {
  let spares: LockFile[] = []
  let is_ready = false
  const findSpare = (service: string): LockFile | undefined => {
    const place = spares.findLastIndex((file) => file.service === service)
    return place < 0 ? undefined : spares.splice(place, 1)[0]
  }
  const take = (service: string, content: Buffer): LockFile => {
    if (!is_ready) prepare(folder)
    is_ready = true
    const file = findSpare(service) ?? makeFile(folder, service)
    try {
      writeContent(file, content)
      return file
    } catch (error) {
      discard(file)
      throw error
    }
  }
  return {
    take: (service, content) => tryQuietly(() => take(service, content)),
    giveBack(file) {
      if (isUntouched(file)) spares.push(file)
      else discard(file)
      if (spares.length > SPARES_MAX) discard(spares.shift() as LockFile)
    },
    close() {
      for (const file of spares) discard(file)
      spares = []
    },
  }
}

/** Makes the folder, and takes out of it what processes that are gone have left there. */
function prepare(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER })
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    tryQuietly(() => isLeftBehind(path) && unlinkSync(path))
  }
}

function isLeftBehind(path: string): boolean {
  if (lstatSync(path).size > LOCK_RECORD_MAX_BYTES) return true
  const holder = findLockRecord(readFileSync(path))?.holder
  return holder !== undefined && holder !== null && isGone(holder)
}

function makeFile(folder: string, service: string): LockFile {
  const path = join(folder, realSystem.random(NAME_BYTES))
  const fd = openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, PRIVATE_FILE)
  return { path, fd, service, identity: folderCalls().findPath(path), length: 0 }
}

function writeContent(file: LockFile, content: Buffer): void {
  writeSync(file.fd, content, 0, content.length, 0)
  if (file.length > content.length) ftruncateSync(file.fd, content.length)
  file.length = content.length
}

/** Whoever gave it another name, or wrote in it, has it still. */
function isUntouched({ fd, length }: LockFile): boolean {
  const { nlink, size } = fstatSync(fd)
  return nlink === 1 && size === length
}

function discard({ path, fd }: LockFile): void {
  closeSync(fd)
  tryQuietly(() => unlinkSync(path))
}

/** Without such files locks are made as ever. */
function tryQuietly<Result>(act: () => Result): Result | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
