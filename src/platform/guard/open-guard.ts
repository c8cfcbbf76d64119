import { existsSync } from 'node:fs'
import { PlatformLacks } from '../basics/c-library.ts'
import { deleteFile, writeFile } from './change-files.ts'
import type { Guard, GuardScope, ThingIdentity } from './guard.ts'
import { holdFolder } from './hold-folder.ts'
import { type LoadKernel, loadKernelCalls } from './kernel/kernel-calls.ts'
import { closeScope, type OpenScope, openScope, renderPlace } from './open-scope.ts'
import { readFile } from './read-held-file.ts'
import { holdRoot } from './roots.ts'
import { listFolder } from './tree/list-folder.ts'
import { inTree } from './tree/service-tree.ts'
import { walkFiles } from './tree/walk-files.ts'
import { requireFile, requireLeaf, type UsedPlace, usePlace } from './use-place.ts'

/** Where folders are reached by what holds them. */
const HELD_FOLDERS = '/proc/self/fd'

/**
 * Opens the way to the files of one service. The scope is plain data, so a worker opens a guard of its own from
 * the same one. Without the kernel's calls every path is walked. All calls are synchronous: on a local disk a checked
 * walk costs less than one trip to the thread pool, and nothing else of this process runs between a check and the use
 * of what was checked.
 */
export function openGuard(scope: GuardScope, kernel: LoadKernel = loadKernelCalls): Guard {
  if (process.platform !== 'linux' || !existsSync(HELD_FOLDERS))
    throw new PlatformLacks(
      'The toolbox needs Linux with its /proc, where folders are held by their descriptors.',
    )
  const opened = openScope(scope, kernel)
  let is_open = true
  const use = (): OpenScope => {
    if (!is_open) throw new Error('the guard is closed')
    return opened
  }
  return {
    readFile: (path, max_bytes) => readFile(use(), path, max_bytes),
    writeFile: (path, bytes) => writeFile(use(), path, bytes),
    deleteFile: (path) => deleteFile(use(), path),
    list: (path, options) => listFolder(use(), path, options),
    walk: (path, options, visit) => walkFiles(use(), path, options, visit),
    holdFolder: (path) => holdFolder(use(), path),
    locate: (path) => locate(use(), path),
    inTree: (work) => inTree(use(), work),
    holdsRoot: (folder) => isRoot(use(), folder),
    check: (path, access) => checkPath(use(), path, access),
    close: () => {
      if (is_open) closeScope(opened)
      is_open = false
    },
  }
}

function isRoot({ service }: OpenScope, { dev, ino }: Pick<ThingIdentity, 'dev' | 'ino'>): boolean {
  const held = holdRoot(service, '.')
  return held?.dev === dev && held.ino === ino
}

/** Something missing may be named only where nothing but new names follow: no link can hide behind them. */
function locate(scope: OpenScope, given: string): { path: string; exists: boolean } {
  return usePlace(scope, given, 'write', (place) => {
    if (!place.leaf?.stat.isDirectory()) checkFileOrNothing(place)
    return { path: renderPlace(scope, place.root, place.names), exists: place.leaf !== undefined }
  })
}

/** Folders pass for reading, since they can be listed and searched. */
function checkPath(scope: OpenScope, given: string, access: 'read' | 'write'): void {
  usePlace(scope, given, access, (place) => {
    if (access === 'write') checkFileOrNothing(place)
    else if (!requireLeaf(place).stat.isDirectory()) requireFile(place)
  })
}

function checkFileOrNothing(place: UsedPlace): void {
  if (place.leaf || place.missing.length === 0) requireFile(place)
}
