import type { Hub } from '../../../operations/hub.ts'
import { type ConnectionRow, findConnection } from '../connections/connection-store.ts'
import { openSource } from '../connections/open-source.ts'
import { type Collector, type Page, SourceFault } from '../connectors/connector.ts'
import { findConnector } from '../connectors/connector-registry.ts'
import { type ConnectorManifest } from '../connectors/manifest-schema.ts'
import { checkPage } from '../records/check-page.ts'
import { ConnectionInactive, findCheckpoint } from '../records/record-store.ts'

/** No source may take longer for one page. */
const PAGE_LIMIT_MS = 600_000

/** What a run reads from: its connection, and the connector that knows how. */
export interface OpenConnection {
  readonly connection: ConnectionRow
  readonly manifest: ConnectorManifest
  readonly collector: Collector
}

/** Finds what a run reads from; a connection without its connector cannot be read. */
export async function openConnection(hub: Hub, connection_id: string): Promise<OpenConnection> {
  const connection = await findConnection(hub.db, connection_id)
  if (connection?.status !== 'active') throw new ConnectionInactive('The connection is not active.')
  const connector = await findConnector(hub, connection.connector_id)
  if (!connector) throw new SourceFault('not_found', 'The connector of this connection is not there.')
  return { connection, manifest: connector.manifest, collector: await connector.load() }
}

/** The pages of a source since its checkpoint, each checked. A source that does not listen is left behind. */
export async function* collectPages(
  hub: Hub,
  { connection, manifest, collector }: OpenConnection,
  signal: AbortSignal,
): AsyncGenerator<Page, void> {
  const checkpoint = await findCheckpoint(hub.db, connection.connection_id)
  const source = openSource(hub, connection, { checkpoint, signal })
  const pages = collector.collect(source)[Symbol.asyncIterator]()
  let isDone = false
  try {
    for (;;) {
      const next = await withinLimit(pages.next(), signal)
      if (next.done) break
      checkPage(next.value, manifest.streams)
      yield next.value
    }
    isDone = true
  } finally {
    // It may be waiting for its source: nobody waits for it in turn.
    if (!isDone) void Promise.resolve(pages.return?.()).catch(() => {})
  }
}

function withinLimit<Value>(pending: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise<Value>((resolve, reject) => {
    const give = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    }
    const stop = () => {
      give()
      reject(signal.reason as Error)
    }
    const timer = setTimeout(() => {
      give()
      reject(new SourceFault('unreachable', 'The source took too long.'))
    }, PAGE_LIMIT_MS)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    pending.then(resolve, reject).finally(give)
  })
}
