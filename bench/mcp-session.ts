const PROTOCOL_VERSION = '2025-06-18'
const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

/** Greets an MCP server and answers the headers that each later request of the session carries. */
export async function openSession(url: string, own: Record<string, string>): Promise<Record<string, string>> {
  const clientInfo = { name: 'bench', version: '1.0.0' }
  const params = { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo }
  const greeting = { jsonrpc: '2.0', id: 0, method: 'initialize', params }
  const greeted = await tell(url, { ...JSON_HEADERS, ...own }, greeting)
  const session = greeted.headers.get('mcp-session-id')
  const headers = {
    ...JSON_HEADERS,
    ...own,
    'mcp-protocol-version': PROTOCOL_VERSION,
    ...(session !== null && { 'mcp-session-id': session }),
  }
  await tell(url, headers, { jsonrpc: '2.0', method: 'notifications/initialized' })
  return headers
}

async function tell(url: string, headers: Record<string, string>, message: object): Promise<Response> {
  const answer = await fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${url} did not take the greeting (${answer.status}): ${text}`)
  return answer
}

/** The text of a call of a tool. */
export function renderToolCall(id: number, name: string, args: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })
}
