import type { Connection } from './embedded-schema.ts'
import { readNumbers, writeNumbers } from './word-numbers.ts'

/** Keeps the totals that words are weighed by right when chunks are taken out, or put in around the full text. */
export interface WordTotals {
  /** To be called first in a transaction: one before may have failed. */
  begin(): void
  /** To be called before the words of a chunk are removed. */
  noteRemoval(chunk_id: number): void
  /** Notes so many chunks, and how many words their columns have, that the full text was not told of. */
  noteAddition(chunks: number, words: readonly number[]): void
  /** Puts what was noted into the totals; to be called last in a transaction. */
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
  /** Rows first, then the words of each column. */
  let changes: number[] = []
  const note = (numbers: readonly number[], sign: 1 | -1) => {
    for (const [at, number] of numbers.entries()) changes[at] = (changes[at] ?? 0) + sign * number
  }
  return {
    begin() {
      changes = []
    },
    noteRemoval(chunk_id) {
      const sizes = findSizes.get(chunk_id) as Uint8Array | undefined
      if (sizes) note([1, ...readNumbers(sizes)], -1)
    },
    noteAddition: (chunks, words) => note([chunks, ...words], 1),
    settle() {
      if (changes.length === 0) return
      // What the table itself still has to write would undo it.
      flush.run()
      const totals = readNumbers(findTotals.get() as Uint8Array)
      const block = writeNumbers(changes.map((change, at) => Math.max(0, (totals[at] ?? 0) + change)))
      changes = []
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
