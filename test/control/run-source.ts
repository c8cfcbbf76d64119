import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { insertConnection, newConnectionId } from '../../src/domains/control/connections/connection-store.ts'
import type { Page } from '../../src/domains/control/connectors/connector.ts'
import type { Hub } from '../../src/operations/hub.ts'
import type { Home } from '../../src/platform/basics/home.ts'

/** What the source answers to whoever asks for what lies after `from`: a page, the end, or a refusal. */
export type SourceAnswer =
  | (Partial<Page> & { next: unknown })
  | 'end'
  | { fault: string; retry_after_seconds?: number }

/** Who asked a source, and from where on. */
export interface Asked {
  connection_id: string
  from: unknown
  /** The process that asked. */
  pid: number
}

/** A source of a test's own, asked over HTTP so that hubs in any process can be its customers. */
export interface RunSource extends AsyncDisposable {
  readonly url: string
  readonly asked: Asked[]
  /** What is answered. A promise that never resolves is a source that hangs. */
  answer: (asked: Asked) => SourceAnswer | Promise<SourceAnswer>
}

export async function startSource(): Promise<RunSource> {
  const server = createServer((request, response) => void serve(source, request, response))
  const source: RunSource = {
    url: '',
    asked: [],
    answer: () => 'end',
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return Object.assign(source, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

async function serve(source: RunSource, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { searchParams } = new URL(request.url ?? '/', 'http://source')
  const asked = {
    connection_id: searchParams.get('connection_id') ?? '',
    from: JSON.parse(searchParams.get('from') ?? 'null') as unknown,
    pid: Number(searchParams.get('pid')),
  }
  source.asked.push(asked)
  response.end(JSON.stringify(await source.answer(asked)))
}

/** Answers `pages` pages of `size` records each, under keys that never change. */
export function paged(pages: number, size: number): RunSource['answer'] {
  return ({ from }) => {
    const page = Number(from ?? 0)
    if (page >= pages) return 'end'
    const upserts = Array.from({ length: size }, (_, at) => ({
      key: `k${page * size + at}`,
      data: { n: page * size + at },
    }))
    return { next: page + 1, upserts, total: pages * size }
  }
}

const CODE = `
const fault = (code, seconds) => Object.assign(new Error('The source said so.'), {
  name: 'SourceFault', code, retry_after_seconds: seconds })
export const collector = {
  async probe() { return {} },
  async *collect(source) {
    let from = source.checkpoint
    for (;;) {
      const { connection_id } = source
      const query = new URLSearchParams({ connection_id, from: JSON.stringify(from), pid: process.pid })
      const answer = await (await fetch(source.settings.url + '?' + query, { signal: source.signal })).json()
      if (answer === 'end') return
      if (answer.fault) throw fault(answer.fault, answer.retry_after_seconds)
      const { next, ...page } = answer
      from = next
      yield { stream: 'items', upserts: [], bytes: JSON.stringify(answer).length, ...page, checkpoint: next }
    }
  },
}
`

/** Puts the connector of such sources into a home, or one with another program. */
export function installConnector(home: Home, connector_id = 'sample', code = CODE): void {
  const folder = join(home.folder, 'connectors', connector_id)
  mkdirSync(folder, { recursive: true })
  const manifest = {
    connector_id,
    display_name: 'Sample source',
    version: '1.0.0',
    connector_modality: 'api_network',
    setup_modality: 'static_secret',
    support_state: 'supported',
    reason: 'Made for tests.',
    streams: ['items', 'others'],
    settings: [{ name: 'url', label: 'Address', kind: 'url', required: true }],
    collector: 'collector.mjs',
  }
  writeFileSync(join(folder, 'manifest.yaml'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'collector.mjs'), code)
  for (const path of [folder, join(folder, 'collector.mjs')]) chmodSync(path, 0o700)
}

/** Adds an active connection to a source. */
export async function connect(hub: Hub, url: string, connector_id = 'sample'): Promise<string> {
  const connection_id = newConnectionId(hub.system)
  const at = hub.system.now().toISOString()
  await hub.db.transaction((tx) =>
    insertConnection(tx, {
      connection_id,
      connector_id,
      display_name: null,
      status: 'active',
      source_kind: 'api_network',
      settings_json: JSON.stringify({ url }),
      created_at: at,
      updated_at: at,
      revoked_at: null,
      last_seq: 0,
    }),
  )
  return connection_id
}
