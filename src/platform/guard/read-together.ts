import { findStillThemselves, type LookedAtFile } from './barrier.ts'
import { READ_NAME } from './descriptors.ts'
import { translateFault, tryQuietly } from './faults.ts'
import { callsForFiles } from './folder-calls.ts'
import { isShowable } from './folder-entries.ts'
import { isSingleName, parseInputPath } from './input-path.ts'
import type { KernelCalls } from './kernel-calls.ts'
import { isInStore, isWithinLimits, type OpenScope } from './open-scope.ts'
import { isOpenPlace, openPlainFolder } from './plain-place.ts'
import { readUpTo } from './read-file.ts'

/** Files that are open at a time. */
const OPEN_AT_ONCE = 64

/** Where files are read, held while they are. */
interface ReadFolder {
  readonly calls: KernelCalls
  readonly scope: OpenScope
  readonly folder_fd: number
  readonly folder_path: string
  readonly root_path: string
  readonly dev: bigint | undefined
}

interface OpenFile extends LookedAtFile {
  readonly fd: number
  readonly bytes: Buffer
}

/**
 * Reads files that plainly lie in a folder of the service: real files with open names and one disk, mount and name.
 * The kernel is asked for the folder in one step and for each file in another, and they are confirmed all at once.
 * Whatever is otherwise is missing in the answer: the walk decides about it, and says why it refuses what it does.
 */
export function readTogether(
  scope: OpenScope,
  given: string,
  names: readonly string[],
  max_bytes: number,
): Map<string, Buffer> {
  const found = new Map<string, Buffer>()
  try {
    const parts = parseInputPath(given)
    const calls = isWithinLimits(scope, scope.service, parts.names) ? callsForFiles(names.length) : undefined
    const held = calls && openPlainFolder(calls, scope, given, parts)
    if (!held) return found
    const { fd: folder_fd, is_kept } = held
    try {
      const { path: root_path, held: root } = scope.service
      const folder_path = [root_path, ...parts.names].join('/')
      const folder = { calls, scope, folder_fd, folder_path, root_path, dev: root?.dev }
      for (let at = 0; at < names.length; at += OPEN_AT_ONCE)
        readSome(folder, names.slice(at, at + OPEN_AT_ONCE), max_bytes, found)
    } finally {
      if (!is_kept) calls.close(folder_fd)
    }
  } catch (error) {
    throw translateFault(error, given)
  }
  return found
}

/** Reads files and adds those that were themselves all the while. */
function readSome(
  folder: ReadFolder,
  names: readonly string[],
  max_bytes: number,
  found: Map<string, Buffer>,
): void {
  const open: OpenFile[] = []
  try {
    for (const name of names) {
      const file = isReadable(folder, name) ? openAndRead(folder, name, max_bytes) : undefined
      if (file) open.push(file)
    }
    const confirmed = tryQuietly(() => findStillThemselves(folder.calls, folder, open)) ?? []
    for (const { name, bytes } of confirmed) found.set(name, bytes)
  } finally {
    for (const { fd } of open) folder.calls.close(fd)
  }
}

/** Names are judged before anything is looked up by them. */
function isReadable({ scope, folder_path }: ReadFolder, name: string): boolean {
  if (!isSingleName(name) || !isShowable(name) || !name.isWellFormed() || scope.names.isClosed(name))
    return false
  return !scope.has_inner || isOpenPlace(scope, `${folder_path}/${name}`)
}

function openAndRead(folder: ReadFolder, name: string, max_bytes: number): OpenFile | undefined {
  const { calls, scope, folder_fd, folder_path, dev } = folder
  const fd = calls.openBeneath(folder_fd, name, READ_NAME)
  if (fd === undefined) return undefined
  let file: OpenFile | undefined
  try {
    const may_have_names = isInStore(scope, () => `${folder_path}/${name}`)
    const look = calls.look(fd, '')
    if (!look?.is_file || look.dev !== dev || look.size > max_bytes) return undefined
    if (look.names !== 1 && !may_have_names) return undefined
    const bytes = tryQuietly(() => readUpTo(fd, look.size, max_bytes))
    file = bytes && { name, look, may_have_names, fd, bytes }
    return file
  } finally {
    if (!file) calls.close(fd)
  }
}
