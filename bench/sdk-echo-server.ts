import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

/** The peer: the official SDK's server with one tool that answers what it was told, and no checks at all. */
function echoServer(): McpServer {
  const server = new McpServer({ name: 'echo', version: '1.0.0' })
  const shape = z.object({ text: z.string() })
  server.registerTool(
    'echo',
    { description: 'Echo a text.', inputSchema: shape, outputSchema: shape },
    async ({ text }) => ({
      content: [{ type: 'text', text: JSON.stringify({ text }) }],
      structuredContent: { text },
    }),
  )
  return server
}

const serve = toNodeHandler(createMcpHandler(echoServer))
const server = createServer((request, response) => void serve(request as NodeIncomingMessageLike, response))
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  console.log(JSON.stringify({ event: 'ready', url }))
})
process.once('SIGTERM', () => {
  server.close()
  server.closeAllConnections()
})
