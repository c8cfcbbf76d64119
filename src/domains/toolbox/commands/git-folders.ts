import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { FOLDERS_MAX } from './command-limits.ts'

// These hold addresses with passwords in them.
const SECRETS = ['config', 'config.worktree', 'credentials']
// Git folders of submodules and further work trees, each with settings of its own.
const PARTS = ['modules', 'worktrees']
// Many folders, and nothing of the kind in them.
const NOT_SEARCHED = new Set(['objects', 'refs', 'logs', 'hooks', 'info'])
const POINTER_BYTES_MAX = 4_096

/** A `.git` and the folder that it points to, where it is a file that does. */
export function gitFolders(repository: string): string[] {
  const target = pointedTo(repository)
  return target === undefined ? [repository] : [repository, target]
}

function pointedTo(repository: string): string | undefined {
  const is_file = lstatSync(repository, { throwIfNoEntry: false })?.isFile() === true
  const text = is_file ? readStart(repository) : ''
  const target = /^gitdir: ([^\n\0]+)/.exec(text)?.[1]
  const path = target === undefined ? undefined : resolve(dirname(repository), target)
  return path !== undefined && existsSync(path) ? path : undefined
}

function readStart(path: string): string {
  const bytes = Buffer.alloc(POINTER_BYTES_MAX)
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      return bytes.toString('utf8', 0, readSync(fd, bytes))
    } finally {
      closeSync(fd)
    }
  } catch {
    return '' // What we may not read leads git nowhere either.
  }
}

/** The files of a git folder that a command must not read. */
export function gitSecrets(git_folder: string): string[] {
  const parts = PARTS.map((name) => join(git_folder, name))
  const folders = [git_folder]
  const waiting = [...parts]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    folders.push(folder)
    // Rather all of them hidden than the rest shown.
    if (folders.length > FOLDERS_MAX) return [...secretsIn(git_folder), ...parts]
    waiting.push(...foldersIn(folder))
  }
  return folders.flatMap(secretsIn)
}

function foldersIn(folder: string): string[] {
  const entries = entriesOf(folder)
  const is_git_folder = entries.some(({ name }) => name === 'HEAD')
  const below = entries.filter(
    (entry) => entry.isDirectory() && !(is_git_folder && NOT_SEARCHED.has(entry.name)),
  )
  return below.map(({ name }) => join(folder, name))
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return [] // There is none, as a rule.
  }
}

// A submodule may be called `config`, so folders do not count.
function secretsIn(folder: string): string[] {
  const paths = SECRETS.map((name) => join(folder, name))
  return paths.filter((path) => existsSync(path) && !lstatSync(path).isDirectory())
}
