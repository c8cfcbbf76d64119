import type { Readable, Writable } from 'node:stream'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createSdkServer } from './sdk-server.ts'
import { createStdioFastCalls } from './stdio-fast-calls.ts'
import { createStdioTransport, type OnRefusedLine } from './stdio-transport.ts'
import type { ToolHost } from './tool-host.ts'
import { createToolLists } from './tool-list.ts'
import type { OnError } from './tool-result.ts'

export interface StdioOptions {
  stdin?: Readable
  stdout?: Writable
  onError?: OnError
  onRefused?: OnRefusedLine
  /** Off only in tests, to compare with the SDK alone. */
  fastPath?: boolean
}

const MAX_SUBSCRIPTIONS = 16

/** Serves one caller over stdin and stdout in any protocol version, until the input ends. */
export async function serveMcpOverStdio<Caller>(
  host: ToolHost<Caller>,
  caller: Caller,
  options: StdioOptions = {},
): Promise<void> {
  const { stdin = process.stdin, stdout = process.stdout, onError = () => {}, fastPath = true } = options
  const lists = createToolLists()
  const fast = fastPath ? createStdioFastCalls(host, caller, lists, onError) : undefined
  const transport = createStdioTransport(stdin, stdout, fast, options.onRefused)
  const serving = serveStdio(() => createSdkServer(host, caller, lists, onError), {
    transport,
    maxSubscriptions: MAX_SUBSCRIPTIONS,
    onerror: onError,
  })
  await transport.closed
  await serving.close()
}
