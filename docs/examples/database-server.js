// Plays a database server: an MCP server over stdio with one tool that reads.
import { createInterface } from 'node:readline'

const ORDERS = [
  { id: 7, total: '12.00' },
  { id: 8, total: '3.50' },
]
const TOOLS = [
  {
    name: 'read_orders',
    description: 'Read the orders of the shop.',
    inputSchema: { type: 'object', properties: {} },
  },
]

function answer(method) {
  if (method === 'tools/list') return { tools: TOOLS }
  if (method === 'tools/call') return { content: [{ type: 'text', text: JSON.stringify(ORDERS) }] }
  const serverInfo = { name: 'database', version: '1.0.0' }
  return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line)
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answer(method) }))
}
