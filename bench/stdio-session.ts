import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** An MCP server that was started as a child, spoken to over its stdin and stdout. */
export interface StdioSession {
  readonly pid: number
  /** Calls a tool and answers the text of its first content; a failed call throws. */
  call(tool: string, args: object): Promise<string>
  end(): Promise<void>
}

interface Reply {
  id?: number
  error?: unknown
  result?: { content?: { text: string }[]; isError?: boolean }
}

/** Starts a server and greets it. Every server is driven by the same few lines. */
export async function openStdioSession(
  argv: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<StdioSession> {
  const child = spawn(process.execPath, argv, {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  })
  const waiting = new Map<number, (reply: Reply) => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const reply = JSON.parse(line) as Reply
    waiting.get(reply.id ?? -1)?.(reply)
    waiting.delete(reply.id ?? -1)
  })
  let last = 0
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const ask = (method: string, params: object) =>
    new Promise<Reply>((resolve) => {
      waiting.set(++last, resolve)
      send({ id: last, method, params })
    })
  const clientInfo = { name: 'bench', version: '1.0.0' }
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  send({ method: 'notifications/initialized' })
  return {
    pid: child.pid as number,
    async call(tool, args) {
      const { error, result } = await ask('tools/call', { name: tool, arguments: args })
      const text = result?.content?.[0]?.text
      if (error || result?.isError || text === undefined)
        throw new Error(`${tool}: ${JSON.stringify(error ?? text)}`)
      return text
    },
    async end() {
      const gone = once(child, 'exit')
      child.stdin.end()
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000)
      await gone
      clearTimeout(timer)
    },
  }
}
