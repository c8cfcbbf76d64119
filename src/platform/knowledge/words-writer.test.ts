import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gatherChunks } from './cut-document.ts'
import { IndexDamaged } from './damaged-index.ts'
import { sharedDigester } from './document-digester.ts'
import { openRows, packRows } from './document-rows.ts'
import { type Connection, connectIndex } from './embedded-schema.ts'
import type { Chunk, DocumentRows } from './knowledge.ts'
import { openSegmentMaker, SEGMENT_MAX_BYTES } from './postings-program.ts'
import { addSegment } from './word-structure.ts'
import { openWordTotals } from './word-totals.ts'
import { type NewDocument, openWordsWriter } from './words-writer.ts'

/** Texts of chunks, by document. */
type Texts = readonly (readonly string[])[]

/** A full text that is filled one way or the other, and does no work by itself that both would not do at once. */
function openWords(way: 'by rows' | 'by segments', automerge = 0) {
  const connection = connectIndex(':memory:')
  connection.exec(`INSERT INTO words (words, rank) VALUES ('automerge', ${automerge})`)
  const totals = openWordTotals(connection)
  const writer = openWordsWriter(connection, totals, way === 'by rows' ? Number.POSITIVE_INFINITY : 1)
  const removeRow = connection.prepare('DELETE FROM words WHERE rowid = ?')
  let [next, made] = [1, 0]
  const put = connection.transaction((rows: DocumentRows) => {
    totals.begin()
    writer.begin([{ path: '', sha256: '', rows }])
    writer.add(1, rows)
    writer.finish()
    totals.settle()
  })
  const commit = connection.transaction((gone: readonly number[], texts: Texts) => {
    totals.begin()
    for (const chunk_id of gone) {
      totals.noteRemoval(chunk_id)
      removeRow.run(chunk_id)
    }
    const documents = texts.map((all) => makeDocument(`src/file-${made++}.md`, all))
    writer.begin(documents)
    for (const { rows } of documents) {
      writer.add(next, rows)
      next += rows.count
    }
    writer.finish()
    totals.settle()
  })
  return { connection, commit, put }
}

function makeDocument(path: string, texts: readonly string[]): NewDocument {
  const chunks = texts.map(
    (text, at): Chunk => ({ kind: 'code', name: `Owner.part${at}`, start_line: 1, end_line: 1, text }),
  )
  const cut = gatherChunks(path, chunks)
  const { words } = sharedDigester().digest(cut, { words: true, vectors: false })
  return { path, sha256: '', rows: openRows(packRows(cut, new Int8Array(chunks.length), words)) }
}

function tablesOf(connection: Connection) {
  return ['words_data', 'words_idx', 'words_docsize'].map((table) =>
    connection.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).raw().all(),
  )
}

/** What can be asked of a full text, however it keeps it: each word with its places, and how well chunks fit. */
function answersOf(connection: Connection, terms: readonly string[]) {
  connection.exec("INSERT INTO words (words) VALUES ('integrity-check')")
  const match = connection.prepare(
    'SELECT rowid, bm25(words, 1, 2, 3, 4) FROM words WHERE words MATCH ? ORDER BY rowid',
  )
  return {
    words: connection.prepare('SELECT * FROM stems ORDER BY term').raw().all(),
    matches: terms.map((term) => match.raw().all(`"${term}"`)),
  }
}

const word = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', 'é', '語', 'z', '0'), minLength: 1, maxLength: 24 }),
  fc.constantFrom('common', 'commonly', 'communication', 'communications', 'internationalisation'),
)
const text = fc.array(word, { maxLength: 40 }).map((words) => words.join(' '))
const texts: fc.Arbitrary<Texts> = fc.array(fc.array(text, { maxLength: 4 }), { maxLength: 4 })

/** So long that its list goes over pages, within the positions of one chunk as well. */
const long = (words: number, part: number) =>
  Array.from({ length: words }, (_, at) => (at % part === 0 ? 'often' : `word${at % 977} ${at}`)).join(' ')

const LARGE: Texts = [
  Array.from({ length: 60 }, (_, at) => long(900 + at, 2)),
  Array.from({ length: 3 }, () => 'same '.repeat(12_000)),
  Array.from({ length: 900 }, (_, at) => `everywhere number ${at * 7919} common${at % 13}`),
]
const ASKED = ['common', 'often', 'same', 'everywhere common3', 'part 1', 'src file', '7919', 'nothing']

describe('a segment made at once', () => {
  it('is what the full text itself would have written, byte by byte', () => {
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 4 }), (commits) => {
        const [expected, made] = [openWords('by rows'), openWords('by segments')]
        for (const commit of commits) {
          expected.commit([], commit)
          made.commit([], commit)
        }
        expect(tablesOf(made.connection)).toEqual(tablesOf(expected.connection))
        expect(answersOf(made.connection, ASKED)).toEqual(answersOf(expected.connection, ASKED))
      }),
    )
  })

  it('is so too where lists go over many pages, and chunks have large numbers', () => {
    const [expected, made] = [openWords('by rows'), openWords('by segments')]
    for (const { commit } of [expected, made]) {
      commit([], [['first']])
      commit([], LARGE)
      commit([5, 70], [...LARGE, ['last']])
    }
    expect(tablesOf(made.connection)).toEqual(tablesOf(expected.connection))
    expect(answersOf(made.connection, ASKED)).toEqual(answersOf(expected.connection, ASKED))
    const guided = made.connection.prepare('SELECT count(*) FROM words_idx WHERE pgno & 1').pluck().get()
    expect(guided).toBeGreaterThan(3)
  })

  it('ends its pages where the full text would, however long lists are', () => {
    const [expected, made] = [openWords('by rows'), openWords('by segments')]
    for (const { commit } of [expected, made])
      for (let step = 0; step < 12; step++) {
        const some = Array.from({ length: 12 + step }, (_, at) => `${'same '.repeat(1_000 + at)} word${step}`)
        const lists = Array.from({ length: 400 }, (_, at) => `w${at}x `.repeat(1 + ((at * (7 + step)) % 90)))
        commit(
          [],
          [some, lists, Array.from({ length: 500 }, (_, at) => long(1 + ((at * step) % 50), 1 + step))],
        )
      }
    expect(tablesOf(made.connection)).toEqual(tablesOf(expected.connection))
  })

  it('ends the last word of a column with it, whether a blank comes next or not', () => {
    const parts = ['src main', 'reads a longworded thing', 'international', 'thing', 'b', '', 'a']
    const endOf = (part: number) => parts.slice(0, part + 1).join('').length
    const ends = [endOf(0), ...[1, 2, 3].map(endOf), 0, 4, ...[4, 5, 6].map(endOf), 0, 1]
    const { rows } = makeDocument('a.md', ['one', 'two'])
    const words = Buffer.from(parts.join(''))
    const [expected, made] = [openWords('by rows'), openWords('by segments')]
    for (const { put } of [expected, made]) put({ ...rows, words, ends: Int32Array.from(ends) })
    expect(tablesOf(made.connection)).toEqual(tablesOf(expected.connection))
    const terms = made.connection.prepare('SELECT term FROM stems').pluck().all()
    expect(terms).toEqual(['a', 'b', 'international', 'longworded', 'main', 'reads', 'src', 'thing'])
  })

  it('is gone on with by the full text: removals, further words, and segments put together', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(texts, fc.nat()), { minLength: 1, maxLength: 5 }), (steps) => {
        const [expected, made] = [openWords('by rows', 4), openWords('by segments', 4)]
        for (const { connection, commit } of [expected, made]) {
          for (const [some, seed] of steps) {
            const ids = connection.prepare('SELECT id FROM words_docsize').pluck().all() as number[]
            commit(
              ids.filter((id) => (id * 31 + seed) % 3 === 0),
              some,
            )
          }
        }
        expect(answersOf(made.connection, ASKED)).toEqual(answersOf(expected.connection, ASKED))
        for (const { connection } of [expected, made])
          connection.exec(`INSERT INTO words (rowid, body, name, owner, path) VALUES (9999, 'common', 'b', '', 'c');
            INSERT INTO words (words) VALUES ('optimize')`)
        expect(answersOf(made.connection, ASKED)).toEqual(answersOf(expected.connection, ASKED))
      }),
    )
  })

  it('is put together with others before there are too many', () => {
    const [expected, made] = [openWords('by rows', 4), openWords('by segments', 4)]
    for (let commit = 0; commit < 40; commit++)
      for (const words of [expected, made])
        words.commit(commit % 5 === 4 ? [commit] : [], [[`common ${commit}`, `often ${commit % 7}`]])
    expect(answersOf(made.connection, ASKED)).toEqual(answersOf(expected.connection, ASKED))
    const segments = made.connection.prepare('SELECT count(DISTINCT segid) FROM words_idx').pluck().get()
    expect(segments).toBeLessThan(20)
  })

  it('leaves nothing behind where its commit fails', () => {
    const [expected, made] = [openWords('by rows'), openWords('by segments')]
    for (const { connection, commit } of [expected, made]) {
      commit([], [['first']])
      const fail = connection.transaction(() => {
        commit([1], [['second words'], ['third']])
        throw new Error('on purpose')
      })
      expect(fail).toThrow('on purpose')
      commit([], [['fourth']])
    }
    expect(answersOf(made.connection, ['first', 'second', 'fourth']).words).toEqual(
      answersOf(expected.connection, []).words,
    )
  })
})

it('has room for the heaviest words that a segment is made of', () => {
  const maker = openSegmentMaker()
  const { rows } = makeDocument('a.md', ['first words', 'second words'])
  maker.begin({ chunks: 2, bytes: 1_000 })
  maker.add(rows)
  const { pages: expected, totals } = structuredClone(maker.finish(7))
  maker.begin({ chunks: 1_000_000, bytes: SEGMENT_MAX_BYTES })
  maker.add(rows)
  expect(maker.finish(7)).toMatchObject({ pages: expected, totals, chunks: 2 })
  expect(expected).toHaveLength(1)
})

it('takes a structure of another form for a damaged index', () => {
  const huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]
  expect(addSegment(Buffer.from([0, 0, 0, 0, 1, 0, 0, 0]), 1, 1)).toBeUndefined()
  expect(addSegment(Buffer.from([0, 0, 0, 0, 0xff, 0, 0, 1, 1, 1, 0, 0, ...huge]), 1, 1)).toBeUndefined()
  const { connection, commit } = openWords('by segments')
  commit([], [['first']])
  connection.unsafeMode(true)
  connection.exec("UPDATE words_data SET block = x'00000000000000' WHERE id = 10")
  connection.unsafeMode(false)
  connection.exec("INSERT INTO words (words, rank) VALUES ('merge', 0)")
  expect(() => commit([], [['second']])).toThrow(IndexDamaged)
})
