import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { isPlaceholder } from './mount-point.ts'
import { SandboxUnavailable } from './sandbox.ts'

/** A path of a profile as it really is on the host. */
export interface LocatedPath {
  /** Canonical; for a link, the place that it leads to, or itself when it leads nowhere. */
  readonly at: string
  readonly kind: 'file' | 'folder' | 'missing_file' | 'missing_folder' | 'nowhere'
  /** The link that leads there. */
  readonly link: string | undefined
  /** The path as it was given, where a folder on its way is a link. */
  readonly around?: string
}

/** The canonical form of a path that has to exist. */
export function requireRealPath(path: string, what: string): string {
  checkShape(path)
  const real = findRealPath(path)
  if (real === undefined) throw new SandboxUnavailable(`The ${what} ${path} does not exist.`)
  return real
}

/** Finds where a path of a profile lies; of a path whose folder is missing too, the first missing part. */
export function locatePath(path: string): LocatedPath {
  checkShape(path)
  const wants_folder = path.endsWith('/')
  const plain = wants_folder ? path.replace(/\/+$/, '') : path
  const folder = findRealPath(dirname(plain))
  if (folder === undefined) return locatePath(`${dirname(plain)}/`)
  const way = folder === resolve(dirname(plain)) ? {} : { around: resolve(plain) }
  return { ...locateIn(folder, basename(plain), wants_folder), ...way }
}

function locateIn(folder: string, name: string, wants_folder: boolean): LocatedPath {
  // Another run holds the place of a folder that is missing too.
  if (isPlaceholder(lstatSync(folder))) return { at: folder, kind: 'missing_folder', link: undefined }
  const at = join(folder, name)
  const stat = lstatSync(at, { throwIfNoEntry: false })
  if (stat === undefined)
    return { at, kind: wants_folder ? 'missing_folder' : 'missing_file', link: undefined }
  if (stat.isSymbolicLink()) return followLink(at)
  if (isPlaceholder(stat)) {
    return { at, kind: stat.isDirectory() ? 'missing_folder' : 'missing_file', link: undefined }
  }
  return { at, kind: stat.isDirectory() ? 'folder' : 'file', link: undefined }
}

function followLink(link: string): LocatedPath {
  const target = findRealPath(link)
  if (target === undefined) return { at: link, kind: 'nowhere', link }
  return { at: target, kind: lstatSync(target).isDirectory() ? 'folder' : 'file', link }
}

function findRealPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new SandboxUnavailable(`The path ${path} cannot be put into the sandbox: ${code}.`)
  }
}

function checkShape(path: string): void {
  if (isAbsolute(path) && !path.includes('\0') && path !== '/') return
  throw new SandboxUnavailable(`A path of a sandbox has to be absolute: ${JSON.stringify(path)}.`)
}
