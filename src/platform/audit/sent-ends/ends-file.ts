import { closeSync, createReadStream, fdatasyncSync, fstatSync, openSync, readSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { writeWhole } from '../../basics/write-whole.ts'
import { readEnd, type SentEnd } from './end-statement.ts'

/** The last lines are looked for in so much of the file. */
const TAIL_BYTES = 131_072

/** Adds a line to the file and waits until it is on the disk. A line that was torn before stays one of its own. */
export function appendEnd(path: string, end: SentEnd): void {
  const file = openSync(path, 'a+', 0o600)
  try {
    const { size } = fstatSync(file)
    const isTorn = size > 0 && readAt(file, size - 1, 1) !== '\n'
    writeWhole(file, `${isTorn ? '\n' : ''}${JSON.stringify(end)}\n`)
    fdatasyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** The lines of the file. */
export function linesOf(path: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY })
}

/** The end that was sent last, as far as the file can be read. */
export function findLastEnd(path: string): SentEnd | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const { size } = fstatSync(file)
    const from = Math.max(0, size - TAIL_BYTES)
    const lines = readAt(file, from, size - from).split('\n')
    return lines.map(readEnd).findLast((end) => end !== undefined)
  } finally {
    closeSync(file)
  }
}

function readAt(file: number, from: number, length: number): string {
  const bytes = Buffer.alloc(length)
  return bytes.toString('utf8', 0, readSync(file, bytes, 0, length, from))
}
