import type { Readable, Writable } from 'node:stream'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createSdkServer } from './sdk-server.ts'
import { createStdioTransport } from './stdio-transport.ts'
import type { ToolHost } from './tool-host.ts'
import { createToolLists } from './tool-list.ts'
import type { OnError } from './tool-result.ts'

export interface StdioOptions {
  stdin?: Readable
  stdout?: Writable
  onError?: OnError
}

const MAX_SUBSCRIPTIONS = 16

/** Serves one caller over stdin and stdout in any protocol version, until the input ends. */
export async function serveMcpOverStdio<Caller>(
  host: ToolHost<Caller>,
  caller: Caller,
  { stdin = process.stdin, stdout = process.stdout, onError = () => {} }: StdioOptions = {},
): Promise<void> {
  const transport = createStdioTransport(stdin, stdout)
  const lists = createToolLists()
  const serving = serveStdio(() => createSdkServer(host, caller, lists, onError), {
    transport,
    maxSubscriptions: MAX_SUBSCRIPTIONS,
    onerror: onError,
  })
  await transport.closed
  await serving.close()
}
