import type { Readable, Writable } from 'node:stream'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createSdkServer } from './sdk-server.ts'
import { createStdioTransport, type OnRefusedLine } from './stdio-transport.ts'
import type { ToolHost } from './tool-host.ts'
import { createToolLists } from './tool-list.ts'
import type { OnError } from './tool-result.ts'
import { watchList } from './watch-list.ts'

export interface StdioOptions {
  stdin?: Readable
  stdout?: Writable
  onError?: OnError
  onRefused?: OnRefusedLine
}

const MAX_SUBSCRIPTIONS = 16

/** Serves one caller over stdin and stdout in any protocol version, until the input ends. */
export async function serveMcpOverStdio<Caller>(
  host: ToolHost<Caller>,
  caller: Caller,
  options: StdioOptions = {},
): Promise<void> {
  const { stdin = process.stdin, stdout = process.stdout, onError = () => {} } = options
  const lists = createToolLists()
  const transport = createStdioTransport(stdin, stdout, options.onRefused)
  let stop: (() => void) | undefined
  const open = () => {
    const server = createSdkServer({ host, caller, lists, onError, isTold: true })
    // Beside the one that serves there may be one that only answers what the server is.
    server.oninitialized = () => {
      const tell = {
        tools: () => server.sendToolListChanged(),
        prompts: () => server.sendPromptListChanged(),
      }
      stop = watchList({ host, caller, lists, onError }, (kind) => void tell[kind]().catch(onError))
    }
    return server
  }
  const serving = serveStdio(open, {
    transport,
    maxSubscriptions: MAX_SUBSCRIPTIONS,
    onerror: onError,
  })
  await transport.closed
  stop?.()
  await serving.close()
}
