import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { ensurePrivateFolder } from '../../../../platform/basics/private-file.ts'
import { tryQuietly } from '../../../../platform/guard/faults.ts'
import type { TreeEntry } from '../../../../platform/guard/tree/service-tree.ts'
import { ToolFault } from '../../tool-fault.ts'
import type { Repository } from '../repository/repository.ts'
import type { GitCall } from '../run/git-run.ts'

const RANDOM_BYTES = 12
const OWN_NAME = /^(\d+)-/

/**
 * A work tree of the hub's own that git is given in place of the real one. It holds copies of just the files that
 * a command is about. No agent can reach it, so nothing in it is swapped while git opens names there.
 */
export interface LentTree {
  /** The top of it on the host. */
  readonly folder: string
  /** Puts a file or link at a path relative to the work tree. Every path once. */
  put(path: string, entry: TreeEntry): void
  /** What git has left at such a path. */
  read(path: string): TreeEntry | undefined
}

/** Lends a tree for as long as something is done. */
export async function withLentTree<Result>(
  { hub }: Pick<GitCall, 'hub'>,
  { prefix }: Pick<Repository, 'prefix'>,
  act: (tree: LentTree) => Promise<Result>,
): Promise<Result> {
  const all = join(hub.home.folder, 'git-trees')
  ensurePrivateFolder(all)
  sweep(all)
  const folder = join(all, `${process.pid}-${hub.system.random(RANDOM_BYTES)}`)
  // The sandbox mounts the git folder over `.git`, and starts git in the service.
  mkdirSync(join(folder, prefix), { recursive: true, mode: 0o700 })
  mkdirSync(join(folder, '.git'), { mode: 0o700 })
  try {
    return await act(openLentTree(folder, prefix))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Removes what processes left that were killed. */
function sweep(all: string): void {
  for (const name of readdirSync(all)) {
    const pid = Number(OWN_NAME.exec(name)?.[1])
    if (pid === process.pid || isAlive(pid)) continue
    rmSync(join(all, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function openLentTree(folder: string, prefix: string): LentTree {
  const folders = new Set(['', ...foldersOf(`${prefix}x`)])
  const makeFolders = (path: string): void => {
    for (const above of foldersOf(path)) {
      if (folders.has(above)) continue
      mkdirSync(join(folder, above), { mode: 0o700 })
      folders.add(above)
    }
  }
  return {
    folder,
    put(path, entry) {
      try {
        makeFolders(path)
        if (entry.kind === 'link') symlinkSync(entry.target, join(folder, path))
        else
          writeFileSync(join(folder, path), entry.bytes, {
            flag: 'wx',
            mode: entry.is_executable ? 0o755 : 0o644,
          })
      } catch (error) {
        throw changedMeanwhile(path, error)
      }
    },
    read: (path) => readCopy(join(folder, path)),
  }
}

/** The folders that a path goes through, from the top down. */
export function foldersOf(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}

/** The same path was a file or a link a moment ago and is a folder now, or the other way round. */
function changedMeanwhile(path: string, error: unknown): unknown {
  const { code = '' } = error as NodeJS.ErrnoException
  if (!['EEXIST', 'ENOTDIR', 'EISDIR', 'ELOOP'].includes(code)) return error
  return new ToolFault('ResourceBusy', `${path} is being changed by somebody else.`, 'Call again.', {
    cause: error,
  })
}

function readCopy(path: string): TreeEntry | undefined {
  // Where a folder of the path is a file now, there is nothing either.
  const stat = tryQuietly(() => lstatSync(path))
  if (stat?.isSymbolicLink()) return { kind: 'link', target: readlinkSync(path) }
  if (!stat?.isFile()) return undefined
  return { kind: 'file', bytes: readFileSync(path), is_executable: (stat.mode & 0o100) !== 0 }
}
