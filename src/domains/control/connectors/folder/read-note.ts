import type { FileHandle } from 'node:fs/promises'
import { basename } from 'node:path'
import type { JsonObject } from '../connector.ts'
import { cutLine, cutText } from '../source-text.ts'
import { openBelow } from './open-below.ts'
import type { FoundNote } from './walk-notes.ts'

/** Larger files are listed without their text. */
const MAX_NOTE_BYTES = 1024 * 1024
const TITLE = /^(?:title:[ \t]*(\S.{0,300})|#{1,2}[ \t]+(\S.{0,300}))$/m
const HEAD_CHARS = 8_192
/** The last moment that a date can name. File systems know later ones, and programs write them by mistake. */
const LAST_MS = 8_640_000_000_000_000

/** The content of a note; undefined for one that is gone, or is none any more. */
export async function findContent(root: string, { path }: FoundNote): Promise<Buffer | undefined> {
  let file: FileHandle | undefined
  try {
    file = await openBelow(root, path)
    const stats = await file?.stat()
    if (!file || !stats?.isFile()) return undefined
    const room = Buffer.alloc(Math.min(stats.size, MAX_NOTE_BYTES + 1))
    const { bytesRead } = await file.read(room, 0, room.length, 0)
    return room.subarray(0, bytesRead)
  } catch {
    return undefined
  } finally {
    await file?.close()
  }
}

/** A note as it is kept. */
export function toNote({ path, modified_ms, size_bytes }: FoundNote, content: Buffer): JsonObject {
  const is_too_large = content.length > MAX_NOTE_BYTES
  const { text, is_cut } = cutText(is_too_large ? '' : content.toString('utf8').replace(/^\uFEFF/, ''))
  return {
    path,
    title: titleOf(text, path),
    text,
    is_cut: is_cut || is_too_large,
    size_bytes,
    modified_at: new Date(Math.max(-LAST_MS, Math.min(modified_ms, LAST_MS))).toISOString(),
  }
}

function titleOf(text: string, path: string): string {
  const [, named, heading] = TITLE.exec(text.slice(0, HEAD_CHARS)) ?? []
  const title = cutLine((named ?? heading ?? '').replace(/^["']|["']$/g, ''), 300)
  return title === '' ? basename(path).replace(/\.[^.]{1,10}$/, '') : title
}
