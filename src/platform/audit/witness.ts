import { closeSync, fdatasync, fdatasyncSync, fstatSync, openSync, statSync, writeSync } from 'node:fs'
import { readOrCreatePrivateFile } from '../basics/private-file.ts'
import { StorageDamaged } from '../storage/database.ts'
import type { AuditKey } from './audit-key.ts'

/** The end of the chain as this hub has sealed it last. */
export interface Sealed {
  readonly seq: number
  readonly hash: string
  readonly at: string
}

/** So many ends are kept, each in a place of its own by its number: processes that share a home never undo each other. */
const PLACES = 64
const PLACE_BYTES = 256
/** What no caller waits for reaches the disk within this time. */
const SYNC_WITHIN_MS = 250

/**
 * A small file beside the database that knows how far the chain has come. A database that lost what was committed, by a
 * damaged or missing log or because an older copy took its place, is behind it.
 */
export interface Witness {
  readonly path: string
  /** Notes an end that was committed. With `firmly` it is on the disk before this returns. */
  note(end: Sealed, firmly: boolean): void
  /** Throws where the file was removed or replaced meanwhile. */
  checkInPlace(): void
  close(): void
}

/** What the file says; undefined where there is none, and where nothing in it was sealed with the key. */
export function readWitness(text: string | undefined, key: AuditKey): Sealed | undefined {
  let newest: Sealed | undefined
  for (const line of text?.split('\n') ?? []) {
    const end = readPlace(line, key)
    if (end && (!newest || end.seq > newest.seq)) newest = end
  }
  return newest
}

function readPlace(line: string, key: AuditKey): Sealed | undefined {
  const [seq = '', hash = '', at = '', seal = ''] = line.trim().split(' ')
  const end = { seq: Number(seq), hash, at }
  return seal !== '' && key.sealWitness(end) === seal ? end : undefined
}

function placeOf(end: Sealed, key: AuditKey): string {
  return `${`${end.seq} ${end.hash} ${end.at} ${key.sealWitness(end)}`.padEnd(PLACE_BYTES - 1)}\n`
}

/** Opens the file to be written on, making it with this end where there is none. */
export function openWitness(path: string, key: AuditKey, end: Sealed): Witness {
  const blank = `${' '.repeat(PLACE_BYTES - 1)}\n`
  const first = () =>
    Array.from({ length: PLACES }, (_, at) => (at === end.seq % PLACES ? placeOf(end, key) : blank)).join('')
  readOrCreatePrivateFile(path, first)
  const file = openSync(path, 'r+')
  const { ino } = fstatSync(file)
  let timer: NodeJS.Timeout | undefined
  let isOpen = true
  let failure: Error | undefined
  const syncLater = () => {
    timer = undefined
    if (isOpen) fdatasync(file, (error) => void (failure = error ?? failure))
  }
  return {
    path,
    note(sealed, firmly) {
      if (failure) throw failure
      writeSync(file, placeOf(sealed, key), (sealed.seq % PLACES) * PLACE_BYTES)
      if (firmly) fdatasyncSync(file)
      else timer ??= setTimeout(syncLater, SYNC_WITHIN_MS).unref()
    },
    checkInPlace() {
      if (failure) throw failure
      if (statSync(path, { throwIfNoEntry: false })?.ino === ino) return
      throw new StorageDamaged(`${path} was removed or replaced while it was in use.`)
    },
    close() {
      clearTimeout(timer)
      isOpen = false
      if (timer && !failure) fdatasyncSync(file)
      closeSync(file)
    },
  }
}
