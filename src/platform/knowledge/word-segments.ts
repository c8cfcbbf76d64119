import { IndexDamaged } from './damaged-index.ts'
import type { Connection } from './embedded-schema.ts'
import { SIZE_BYTES, type WordSegment } from './postings-program.ts'
import { addSegment, type NewSegment } from './word-structure.ts'

const STRUCTURE = 10
/** A page has its number, and the number of its segment above that. */
const SEGMENT = 2 ** 37
const GUIDE = 2 ** 36
/** Where there are many segments, so many pages of them are put together for each page that is new. */
const MERGED_PAGES = 4

/** Puts segments of words into the tables of a full text, beside what the full text itself puts there. */
export function openWordSegments(
  connection: Connection,
): (segment: WordSegment, first_chunk: number) => void {
  // Writes what the full text has yet to write, and makes it read its structure anew when it is next asked.
  const merge = connection.prepare("INSERT INTO words (words, rank) VALUES ('merge', ?)")
  const flush = connection.prepare("INSERT INTO words (words) VALUES ('flush')")
  const findStructure = connection.prepare('SELECT block FROM words_data WHERE id = ?').pluck()
  return (segment, first_chunk) => {
    merge.run(segment.pages.length * MERGED_PAGES)
    flush.run()
    const added = addSegment(findStructure.get(STRUCTURE) as Uint8Array, segment.pages.length, segment.chunks)
    if (!added) throw new IndexDamaged(connection.name, 'its words have another form')
    connection.unsafeMode(true)
    try {
      writeSegment(connection, segment, first_chunk, added)
    } finally {
      connection.unsafeMode(false)
    }
  }
}

/** The tables are not meant to be written around the full text, so the connection has to be told before. */
function writeSegment(
  connection: Connection,
  { pages, keys, guides, sizes, size_lengths }: WordSegment,
  first_chunk: number,
  { id, origin, block }: NewSegment,
): void {
  const addData = connection.prepare('INSERT INTO words_data (id, block) VALUES (?, ?)')
  for (const [at, page] of pages.entries()) addData.run(id * SEGMENT + at + 1, page)
  for (const { page, bytes } of guides) addData.run(id * SEGMENT + GUIDE + page, bytes)
  const addKey = connection.prepare('INSERT INTO words_idx (segid, term, pgno) VALUES (?, ?, ?)')
  for (const { page, bytes } of keys) addKey.run(id, bytes, page)
  // A statement for each chunk would take several times as long.
  connection
    .prepare(
      `INSERT INTO words_docsize (id, sz, origin)
       SELECT ? + key, substr(?, 1 + key * ${SIZE_BYTES}, value), ? FROM json_each(?)`,
    )
    .run(first_chunk, sizes, origin, size_lengths)
  if (pages.length > 0)
    connection.prepare('UPDATE words_data SET block = ? WHERE id = ?').run(block, STRUCTURE)
}
