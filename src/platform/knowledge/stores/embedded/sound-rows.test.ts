import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openStaticEmbedder } from '../../vectors/static-embedder.ts'
import { makeDocument } from '../store-conformance.fixture.ts'
import { type Connection, connectIndex } from './embedded-schema.ts'
import { openEmbeddedWriter } from './embedded-writer.ts'
import { hasSoundRows } from './sound-rows.ts'

let connection: Connection

beforeEach(async () => {
  connection = connectIndex(':memory:')
  const documents = [
    await makeDocument('a.md', '# A\n\nOne.\n# B\n\nTwo.\n'),
    await makeDocument('b.md', 'Three.\n'),
  ]
  openEmbeddedWriter(connection).replaceDocuments(openStaticEmbedder(), documents)
})
afterEach(() => connection.close())

describe('rows that no indexer has written', () => {
  it.each([
    'UPDATE chunks SET kind = 5 WHERE id = 2',
    "UPDATE chunks SET kind = 'doc' WHERE id = 2",
    'UPDATE chunks SET kind = -1 WHERE id = 2',
    'UPDATE chunks SET length = -1 WHERE id = 2',
    "UPDATE chunks SET length = 'x' WHERE id = 2",
    "UPDATE chunks SET vector = 'text' WHERE id = 2",
    "UPDATE chunks SET vector = x'00' WHERE id = 2",
    "UPDATE chunks SET vector = x''",
    'UPDATE chunks SET vector = zeroblob(8193)',
    "UPDATE chunks SET name = x'00' WHERE id = 2",
    "UPDATE chunks SET text = x'00' WHERE id = 2",
    'UPDATE chunks SET start_line = 0 WHERE id = 2',
    'UPDATE chunks SET end_line = start_line - 1 WHERE id = 2',
    "UPDATE chunks SET end_line = 'x' WHERE id = 2",
    "UPDATE chunks SET counts = x'000000' WHERE id = 2",
    "UPDATE chunks SET counts = 'text' WHERE id = 2",
    'UPDATE chunks SET id = 0 WHERE id = 2',
    'UPDATE chunks SET id = 99 WHERE id = 2',
    'UPDATE chunks SET document_id = 99 WHERE id = 2',
    "UPDATE documents SET path = x'00' WHERE id = 1",
    "UPDATE documents SET sha256 = x'00'",
    'UPDATE documents SET id = 99 WHERE id = 1',
    'UPDATE documents SET chunk_count = 3 WHERE id = 1',
    'DELETE FROM chunks WHERE id = 2',
    'DELETE FROM documents WHERE id = 1',
    "UPDATE facts SET value = '-1' WHERE name = 'last_chunk'",
    "UPDATE facts SET value = '9007199254740993' WHERE name = 'last_chunk'",
    "UPDATE facts SET value = '3x' WHERE name = 'last_chunk'",
    "DELETE FROM facts WHERE name = 'last_chunk'",
    'UPDATE sqlite_sequence SET seq = 9007199254740993',
  ])('are found: %s', (sql) => {
    expect(hasSoundRows(connection)).toBe(true)
    connection.exec(sql)
    expect(hasSoundRows(connection)).toBe(false)
  })
})
