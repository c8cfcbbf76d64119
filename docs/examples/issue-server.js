// Plays the issue tracker of a team: an MCP server over HTTP on loopback with two tools. It keeps what it is told in memory.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

const issues = [{ number: 1, title: 'The cart forgets its content' }]
const TOOLS = [
  {
    name: 'list_issues',
    description: 'List the open issues.',
    inputSchema: { type: 'object', properties: {} },
  },
  {
    name: 'create_issue',
    description: 'Open an issue.',
    inputSchema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  },
]

function use(tool, { title } = {}) {
  if (tool === 'create_issue') issues.push({ number: issues.length + 1, title })
  return issues.map((issue) => `#${issue.number} ${issue.title}`).join('\n')
}

function answer(method, params) {
  if (method === 'tools/list') return { tools: TOOLS }
  if (method === 'tools/call')
    return { content: [{ type: 'text', text: use(params.name, params.arguments) }] }
  const serverInfo = { name: 'issues', version: '1.0.0' }
  return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo }
}

const server = createServer(async (request, response) => {
  const body = await text(request)
  if (request.headers.authorization !== `Bearer ${process.env.ISSUES_TOKEN}`) return response.writeHead(401).end()
  const { id, method, params } = JSON.parse(body || '{}')
  if (id === undefined) return response.writeHead(202).end()
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: answer(method, params) }))
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`))
