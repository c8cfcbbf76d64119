import { existsSync, readFileSync } from 'node:fs'
import BetterSqlite from 'better-sqlite3'
import {
  insertConnection,
  newConnectionId,
  removeConnection,
} from '../../src/domains/control/connections/connection-store.ts'
import { applyPage, eraseRecords } from '../../src/domains/control/records/record-store.ts'
import type { Hub } from '../../src/operations/hub.ts'
import { recordIndexOf } from '../../src/platform/knowledge/records/record-index.ts'
import { sql } from '../../src/platform/storage/database.ts'

/** A hub as far as records are concerned. */
export type RecordingHub = Pick<Hub, 'db' | 'home' | 'system' | 'redactValue' | 'closing' | 'parts'>

/** Adds a connection without records. */
export async function addSource({ db, system }: RecordingHub): Promise<string> {
  const connection_id = newConnectionId(system)
  const at = system.now().toISOString()
  await db.transaction((tx) =>
    insertConnection(tx, {
      connection_id,
      connector_id: 'amazon',
      display_name: null,
      status: 'active',
      source_kind: 'browser_bound',
      settings_json: '{}',
      created_at: at,
      updated_at: at,
      revoked_at: null,
      last_seq: 0,
    }),
  )
  return connection_id
}

/** Collects a page of records into a stream. */
export async function collect(
  { db, system }: RecordingHub,
  connection_id: string,
  upserts: Readonly<Record<string, object>>,
  { stream = 'notes', removals = [] as string[] } = {},
): Promise<void> {
  const records = Object.entries(upserts).map(([key, data]) => ({
    key,
    data: data as Record<string, string>,
  }))
  const page = { stream, upserts: records, removals, checkpoint: null, bytes: 0 }
  await db.transaction((tx) => applyPage(tx, connection_id, page, system.now().toISOString()))
}

/** Deletes a connection as the owner's operation does. */
export async function deleteSource(hub: RecordingHub, connection_id: string): Promise<void> {
  await hub.db.transaction(async (tx) => {
    await recordIndexOf(hub).erase(tx, connection_id)
    await eraseRecords(tx, connection_id)
    await removeConnection(tx, connection_id)
  })
}

const ownDocuments = `SELECT path AS entry FROM @documents WHERE path LIKE 'record:' || ? || '/%'`
const ownCursors = 'SELECT stream AS entry FROM @cursors WHERE connection_id = ?'

/** All that the index of records holds of a connection: documents and how far each stream is in. */
export async function entriesOf({ db, home }: RecordingHub, connection_id: string): Promise<string[]> {
  if (db.kind === 'postgres') {
    const texts = [
      ownDocuments.replace('@documents', 'knowledge_documents'),
      ownDocuments.replace('@documents', 'knowledge_chunks'),
      ownCursors.replace('@cursors', 'knowledge_cursors'),
    ]
    const rows = texts.map((text) => db.all(sql<{ entry: string }>(text), connection_id))
    return (await Promise.all(rows)).flat().map(({ entry }) => entry)
  }
  if (!existsSync(home.recordIndex)) return []
  const index = new BetterSqlite(home.recordIndex, { readonly: true })
  try {
    const texts = [
      ownDocuments.replace('@documents', 'documents'),
      ownCursors.replace('@cursors', 'record_cursors'),
    ]
    return texts.flatMap(
      (text) => index.prepare<[string], string>(text).pluck().all(connection_id) as string[],
    )
  } finally {
    index.close()
  }
}

const TABLES = ['knowledge_documents', 'knowledge_chunks', 'knowledge_cursors']

/** Everything that the index of records holds, as one text. */
export async function indexText({ db, home }: RecordingHub): Promise<string> {
  if (db.kind === 'sqlite')
    return ['', '-wal']
      .map((ending) => `${home.recordIndex}${ending}`)
      .map((file) => (existsSync(file) ? readFileSync(file, 'latin1') : ''))
      .join('')
  const rows = TABLES.map((table) => db.all(sql<{ line: string }>(`SELECT t::text AS line FROM ${table} t`)))
  return (await Promise.all(rows))
    .flat()
    .map(({ line }) => line)
    .join('\n')
}
