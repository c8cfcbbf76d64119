import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect } from 'vitest'
import type { Reply, Request } from './call.ts'
import { grantHeaders } from './call-rest.ts'
import type { TestHub } from './test-hub.ts'

const INVOKE = 'flow_external_tool_invoke'

/** Calls a tool over HTTP with the official client. */
export async function callMcp(hub: TestHub, request: Request): Promise<Reply> {
  const bearer = hub.credentials.bearers[request.as]
  const url = `${request.gateway ?? hub.url}/mcp`
  const client = await connectClient(url, bearer, request.vault, grantHeaders(request))
  try {
    return await callTool(client, request)
  } finally {
    await client.close()
  }
}

/** The official 2.x client, connected to a hub. */
export async function connectClient(
  url: string,
  bearer: string | undefined,
  vault?: string,
  more: Record<string, string> = {},
) {
  const headers = {
    ...more,
    ...(bearer && { authorization: `Bearer ${bearer}` }),
    ...(vault && { 'x-vault-id': vault }),
  }
  const client = new Client({ name: 'parity', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  return client
}

/** Calls a tool; its structured content must say the same as its text. */
export async function callTool(
  client: Pick<Client, 'callTool'>,
  { operation, input, presented }: Pick<Request, 'operation' | 'input' | 'presented'>,
): Promise<Reply> {
  const isGranted = presented?.external_bearer !== undefined && operation.name === INVOKE
  const result = await client.callTool(
    isGranted ? grantedTool(input) : { name: operation.name, arguments: input },
  )
  const [content] = result.content
  if (content?.type !== 'text') throw new Error('A tool answers with one text.')
  expect(result.structuredContent).toEqual(result.isError ? undefined : JSON.parse(content.text))
  return { ok: !result.isError, status: undefined, text: content.text }
}

/** Who holds up a grant calls its tools by their own names. */
function grantedTool({ tool_id, payload = {} }: Record<string, unknown>) {
  return { name: String(tool_id), arguments: payload as Record<string, unknown> }
}
