import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { copyPrivateFile } from '../backup/durable-files.ts'
import { StorageDamaged } from '../database.ts'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** The last bit tells whether checksums were made from big-endian words. */
const MAGIC = 0x377f0682
/** A log that another process begins anew while we look is looked at again so often. */
const LOOKS = 5

/**
 * Throws where the write-ahead log holds good transactions behind a damaged one. SQLite reads a log up to the first
 * frame that does not fit and drops the rest without a word, as it must after a power cut; but each transaction was
 * synced before the next one began, so only the last can be torn by that.
 */
export function checkWal(path: string): void {
  for (let look = 1; ; look++) {
    const lost = findLost(`${path}-wal`)
    if (lost === 0) return
    if (look < LOOKS) continue
    throw new StorageDamaged(
      `Its write-ahead log ${path}-wal is damaged: ${lost} good ${lost === 1 ? 'frame lies' : 'frames lie'} behind a bad one. To go on with what comes before that, on record: \`knowtation audit accept-loss\`.`,
    )
  }
}

/** Copies a log that has lost something beside it: SQLite will drop what lies behind the damage. */
export function keepDamagedWal(path: string): void {
  if (findLost(`${path}-wal`) > 0) copyPrivateFile(`${path}-wal`, `${path}-wal.damaged-${Date.now()}`)
}

/** How many good frames lie behind a transaction that is damaged. */
function findLost(path: string): number {
  const bytes = readLog(path)
  if (!bytes || bytes.length < HEADER_BYTES) return 0
  const magic = bytes.readUInt32BE(0)
  if ((magic & ~1) !== MAGIC) return 0
  const size = bytes.readUInt32BE(8)
  const page_bytes = size === 1 ? 65_536 : size
  if (page_bytes < 512 || page_bytes > 65_536) return 0
  return countBehindBad(bytes, page_bytes, sumOf(bytes, magic === MAGIC))
}

function readLog(path: string): Buffer | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const bytes = Buffer.alloc(fstatSync(file).size)
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0))
  } finally {
    closeSync(file)
  }
}

type Sum = (start: readonly [number, number], from: number, to: number) => [number, number]

/** SQLite's checksum over a part of the log, going on from another one. */
function sumOf(bytes: Buffer, isLittle: boolean): Sum {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return ([first, second], from, to) => {
    let [a, b] = [first, second]
    for (let at = from; at < to; at += 8) {
      a = (a + words.getUint32(at, isLittle) + b) | 0
      b = (b + words.getUint32(at + 4, isLittle) + a) | 0
    }
    return [a >>> 0, b >>> 0]
  }
}

/**
 * Each frame's checksum goes on from that of the frame before it. One behind a bad frame is judged by what that one
 * says its checksum was: where the bad frame's own words are wrong, the frame after next still fits.
 *
 * A writer that is killed before anybody hears of its transaction leaves the frames of that one, and the next writer
 * puts its own over the first of them. So behind a bad frame the rest of one transaction may lie, and behind the next
 * bad one the rest of another; good frames behind a whole one are what tells of a loss.
 */
function countBehindBad(bytes: Buffer, page_bytes: number, sum: Sum): number {
  const salt = bytes.subarray(16, 24)
  const sumAt = (at: number): [number, number] => [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]
  let before = sumAt(24)
  let [isBad, isTransactionOver, behind] = [false, false, 0]
  const frame_bytes = FRAME_HEADER_BYTES + page_bytes
  for (let at = HEADER_BYTES; at + frame_bytes <= bytes.length; at += frame_bytes) {
    const told = sumAt(at + 16)
    const page = at + FRAME_HEADER_BYTES
    const [a, b] = sum(sum(before, at, at + 8), page, page + page_bytes)
    const isGood = bytes.compare(salt, 0, 8, at + 8, at + 16) === 0 && a === told[0] && b === told[1]
    before = told
    if (!isGood) [isBad, isTransactionOver] = [true, false]
    else if (isTransactionOver) behind++
    // With the last frame of a transaction ends what a power cut can have torn.
    if (isGood && isBad && bytes.readUInt32BE(at + 4) !== 0) isTransactionOver = true
  }
  return behind
}
