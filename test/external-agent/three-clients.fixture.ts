import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { TestHub } from '../harness/test-hub.ts'
import type { Json, Minted } from './gate-hub.ts'

interface AnyClient {
  listTools(): Promise<{ tools: Json[] }>
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<Json>
  close(): Promise<void>
}

/** Clients of the two SDKs in all versions of the protocol that differ, each with the grant in hand. */
export async function connectThree(hub: TestHub, held: Minted) {
  const authorization = `Bearer ${hub.credentials.bearers.editor}`
  const headers = { authorization, 'x-flow-external-bearer': held.bearer }
  const [url, init] = [new URL(`${hub.url}/mcp`), { requestInit: { headers } }]
  const info = { name: 'three', version: '1' }
  const modern = new NewClient(info, { versionNegotiation: { mode: 'auto' } })
  await modern.connect(new NewHttp(url, init))
  const newer = new NewClient(info)
  await newer.connect(new NewHttp(url, init))
  const old = new OldClient(info)
  await old.connect(new OldHttp(url, init) as Parameters<OldClient['connect']>[0])
  const clients: Record<'modern' | 'newer' | 'old', AnyClient> = { modern, newer, old }
  return clients
}
