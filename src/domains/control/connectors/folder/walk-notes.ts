import type { Dir } from 'node:fs'
import { type FileHandle, lstat, opendir } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { at, itself } from '../../../../platform/guard/kernel/descriptors.ts'
import { SourceFault } from '../connector.ts'
import { isNoteName } from '../note-names.ts'
import { MAX_INDEXED } from '../page-changes.ts'
import { requireOwnersPlace } from '../source-faults.ts'
import { openBelow } from './open-below.ts'

const SKIPPED = new Set(['node_modules'])
const MAX_DEPTH = 32
/** Names looked at in all, notes or not. */
const MAX_ENTRIES = 200_000

/** A note as the folder lists it. */
export interface FoundNote {
  /** Its path below the folder, with `/` between names. */
  readonly path: string
  readonly modified_ms: number
  readonly size_bytes: number
}

/** The folder of a connection by its real path. */
export async function requireFolder(folder: string | undefined): Promise<string> {
  if (folder === undefined || !isAbsolute(folder)) {
    throw new SourceFault('needs_attention', 'The connection needs the full path of a folder.')
  }
  try {
    const real = requireOwnersPlace(folder)
    if ((await lstat(real)).isDirectory()) return real
  } catch (error) {
    if (error instanceof SourceFault) throw error
    if ((error as NodeJS.ErrnoException).code === 'EACCES') {
      throw new SourceFault('refused', 'The folder may not be read.')
    }
  }
  throw new SourceFault('not_found', 'The folder is not there.')
}

/** Lists the notes below a folder. Links are not followed, so no loop and no way out of it exists. */
export async function walkNotes(root: string, signal: AbortSignal): Promise<FoundNote[]> {
  const found: FoundNote[] = []
  const waiting = [{ path: '', depth: 0 }]
  let seen = 0
  for (let folder = waiting.pop(); folder; folder = waiting.pop()) {
    await using held = await findFolder(root, folder.path)
    if (!held) continue
    for await (const entry of held.entries) {
      signal.throwIfAborted()
      if (++seen > MAX_ENTRIES) throw tooMany(`${MAX_ENTRIES} entries`)
      const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`
      if (entry.name.startsWith('.') || SKIPPED.has(entry.name)) continue
      if (entry.isDirectory() && folder.depth < MAX_DEPTH) waiting.push({ path, depth: folder.depth + 1 })
      const note =
        entry.isFile() && isNoteName(entry.name) ? await findNote(path, held.placeOf(entry.name)) : undefined
      if (note && found.push(note) > MAX_INDEXED) throw tooMany(`${MAX_INDEXED} notes`)
    }
  }
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** A folder that is listed. It is held meanwhile: a link that takes its name then leads to nothing in it. */
interface HeldFolder extends AsyncDisposable {
  readonly entries: Dir
  /** Where a name in it lies. */
  placeOf(name: string): string
}

/** A folder of notes; undefined for one that is gone since. A closed one stops the walk: its notes are not gone. */
async function findFolder(root: string, path: string): Promise<HeldFolder | undefined> {
  let folder: FileHandle | undefined
  try {
    folder = await openBelow(root, path)
    if (!folder && path === '') throw new SourceFault('not_found', 'The folder is not there.')
    return folder && (await holdFolder(folder, join(root, path)))
  } catch (error) {
    await folder?.close()
    const { code = '' } = error as NodeJS.ErrnoException
    if (path !== '' && ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(code)) return undefined
    if (!['EACCES', 'EPERM'].includes(code)) throw error
    const which = path === '' ? 'The folder' : 'A folder in it'
    throw new SourceFault('refused', `${which} may not be read. Let the user of the hub read it, or move it.`)
  }
}

/** By what is held where that can be: the name may lead elsewhere by now. */
async function holdFolder(folder: FileHandle, place: string): Promise<HeldFolder> {
  const isHeld = process.platform === 'linux'
  return {
    entries: await opendir(isHeld ? itself(folder.fd) : place),
    placeOf: (name) => (isHeld ? at(folder.fd, name) : join(place, name)),
    [Symbol.asyncDispose]: () => folder.close(),
  }
}

async function findNote(path: string, place: string): Promise<FoundNote | undefined> {
  try {
    const { mtimeMs, size } = await lstat(place)
    return { path, modified_ms: Math.trunc(mtimeMs), size_bytes: size }
  } catch {
    return undefined // Gone since the folder was listed.
  }
}

function tooMany(what: string): SourceFault {
  return new SourceFault('too_large', `The folder has more than ${what}.`)
}
