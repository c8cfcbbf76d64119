import type { Connection } from './embedded-schema.ts'

/** Keeps the totals that words are weighed by right when chunks are taken out. */
export interface WordTotals {
  /** To be called first in a transaction: one before may have failed. */
  begin(): void
  /** To be called before the words of a chunk are removed. */
  noteRemoval(chunk_id: number): void
  /** Takes what was noted off the totals; to be called last in a transaction. */
  settle(): void
}

/**
 * A table of words without its texts counts rows and words when they come in and not when they go: without this, a
 * file that is saved often would make every text look short and every word look rare.
 */
export function openWordTotals(connection: Connection): WordTotals {
  const findSizes = connection.prepare('SELECT sz FROM words_docsize WHERE id = ?').pluck()
  const findTotals = connection.prepare('SELECT block FROM words_data WHERE id = 1').pluck()
  const flush = connection.prepare("INSERT INTO words (words) VALUES ('flush')")
  let removed: number[] = []
  return {
    begin() {
      removed = []
    },
    noteRemoval(chunk_id) {
      const sizes = findSizes.get(chunk_id) as Uint8Array | undefined
      // Rows first, then the words of each column.
      if (sizes) [1, ...readNumbers(sizes)].forEach((size, at) => (removed[at] = (removed[at] ?? 0) + size))
    },
    settle() {
      if (removed.length === 0) return
      // What the table itself still has to write would undo it.
      flush.run()
      const totals = readNumbers(findTotals.get() as Uint8Array)
      const block = writeNumbers(totals.map((total, at) => Math.max(0, total - (removed[at] ?? 0))))
      removed = []
      writeTotals(connection, block)
    },
  }
}

/** The table is not meant to be written around it, so the connection has to be told. */
function writeTotals(connection: Connection, block: Buffer): void {
  connection.unsafeMode(true)
  try {
    connection.prepare('UPDATE words_data SET block = ? WHERE id = 1').run(block)
  } finally {
    connection.unsafeMode(false)
  }
}

const BITS = 7
const MORE = 0x80

/** Numbers of seven bits a byte, the highest first; a set eighth bit says that there are more. */
function readNumbers(bytes: Uint8Array): number[] {
  const numbers: number[] = []
  let number = 0
  for (const byte of bytes) {
    number = number * MORE + (byte % MORE)
    if (byte >= MORE) continue
    numbers.push(number)
    number = 0
  }
  return numbers
}

function writeNumbers(numbers: readonly number[]): Buffer {
  return Buffer.from(
    numbers.flatMap((number) => {
      const bytes = [number % MORE]
      for (let rest = Math.floor(number / 2 ** BITS); rest > 0; rest = Math.floor(rest / 2 ** BITS))
        bytes.unshift((rest % MORE) + MORE)
      return bytes
    }),
  )
}
