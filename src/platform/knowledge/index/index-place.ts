import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

/** Where the index of a project lies; closed to agents, as all of `.flow` is. */
export interface IndexPlace {
  readonly folder: string
  /** Path to sha256 of every indexed file. Without it the index counts as unfinished. */
  readonly manifest: string
  readonly index: string
  /** What the last whole run met, for the next one that has nothing to do. */
  readonly glance: string
  readonly progress: string
  /** A line for each file that was left out, with the reason. */
  readonly skipped: string
  readonly lock: string
}

const FOLDER_MODE = 0o755
const FILE_MODE = 0o600
/** Whoever commits the whole folder of a project does not commit what can be made anew. */
const GIT_IGNORE = 'rag_*\n.gitignore\n'

/** The files of a project's index. */
export function indexPlaceOf(project_root: string): IndexPlace {
  const folder = join(project_root, '.flow')
  return {
    folder,
    manifest: join(folder, 'rag_manifest.json'),
    index: join(folder, 'rag_index.db'),
    glance: join(folder, 'rag_glance.bin'),
    progress: join(folder, 'rag_progress.json'),
    skipped: join(folder, 'rag_skipped.jsonl'),
    lock: join(folder, 'rag_index.lock'),
  }
}

/** Makes the folder where it is missing, and refuses one that is a link: it may lead anywhere. */
export function ensureIndexFolder({ folder }: IndexPlace): void {
  makeFolder(folder)
  if (!lstatSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`)
  try {
    writeFileSync(join(folder, '.gitignore'), GIT_IGNORE, { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Not the folders above: a project that is gone by now does not come back. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: FOLDER_MODE })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Puts a text in the place of a file, so that readers see the old one or the new one. */
export function replaceText(path: string, text: string | Buffer): void {
  const draft = `${path}.${process.pid}.draft`
  // A link that somebody has put there is not written through.
  rmSync(draft, { force: true, recursive: true })
  try {
    writeFileSync(draft, text, { mode: FILE_MODE, flag: 'wx' })
    if (isFolder(path)) rmSync(path, { recursive: true })
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** Takes an index and its manifest away, with what SQLite keeps beside its file. */
export function removeIndexFiles({ index, manifest }: Pick<IndexPlace, 'index' | 'manifest'>): void {
  for (const path of [manifest, ...databaseFiles(index)]) rmSync(path, { force: true, recursive: true })
}

/** Whether each file of the database is a plain file or missing: a link may lead anywhere, and no folder is opened. */
export function hasPlainFiles(index: string): boolean {
  return databaseFiles(index).every((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    return stats === undefined || stats.isFile()
  })
}

function databaseFiles(index: string): string[] {
  return [index, `${index}-wal`, `${index}-shm`, `${index}-journal`]
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Only the owner reads what was indexed. What SQLite keeps beside its file gets the rights that the file has then. */
export function makePrivate(path: string): void {
  closeSync(openSync(path, 'a', FILE_MODE))
  chmodSync(path, FILE_MODE)
}
