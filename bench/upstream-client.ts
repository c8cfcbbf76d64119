import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { plainLog } from '../src/platform/basics/plain-log.ts'
import { ToolProvider } from '../src/platform/upstream/provider-policy.ts'
import { createUpstreams } from '../src/platform/upstream/upstream.ts'
import { median } from './machine.ts'

/**
 * The hub's own MCP client with the official SDK's: calls of `echo` over stdio, eight at a time, by turns in one
 * process. What counts is the processor time of the calling side, for that is what the hub pays for a granted call.
 */
const SERVER = fileURLToPath(
  new URL('../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
)
const COMMAND = [process.execPath, SERVER, 'stdio'] as const
const CALLS = 4_000
const AT_ONCE = 8
const ROUNDS = 7

type Ask = (message: string) => Promise<unknown>

interface Round {
  calls_per_second: number
  cpu_us_per_call: number
}

async function measure(ask: Ask): Promise<Round> {
  let next = 0
  const work = async () => {
    while (next < CALLS) {
      const message = `message ${next++}`
      const answer = JSON.stringify(await ask(message))
      if (!answer.includes(message)) throw new Error(`Not the answer to ${message}: ${answer}`)
    }
  }
  const [started, before] = [performance.now(), process.cpuUsage()]
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const { user, system } = process.cpuUsage(before)
  return {
    calls_per_second: (CALLS * 1_000) / (performance.now() - started),
    cpu_us_per_call: (user + system) / CALLS,
  }
}

const upstreams = createUpstreams({
  env: process.env,
  log: plainLog(
    () => {},
    () => new Date(),
  ),
  now: () => new Date(),
})
const provider = ToolProvider.parse({ kind: 'mcp', command: COMMAND, tool: 'echo' })
const client = new Client({ name: 'bench', version: '1.0.0' })
await client.connect(new StdioClientTransport({ command: COMMAND[0], args: COMMAND.slice(1) }))

const clients: Readonly<Record<string, Ask>> = {
  'our own client': (message) => upstreams.call(provider, { message }),
  'client of the SDK': (message) => client.callTool({ name: 'echo', arguments: { message } }),
}
const rounds = new Map<string, Round[]>()
for (const [name, ask] of Object.entries(clients)) await measure(ask).then(() => rounds.set(name, []))
for (let at = 0; at < ROUNDS; at++)
  for (const [name, ask] of Object.entries(clients)) rounds.get(name)?.push(await measure(ask))
const told = [...rounds].map(([name, all]) => ({
  name,
  calls_per_second: median(all.map((round) => round.calls_per_second)),
  cpu_us_per_call: median(all.map((round) => round.cpu_us_per_call)),
}))
for (const { name, calls_per_second, cpu_us_per_call } of told)
  console.log(
    `${name.padEnd(20)} ${calls_per_second.toFixed(0)} calls/s, ${cpu_us_per_call.toFixed(0)} µs CPU a call`,
  )
const [own, sdk] = told
if (own && sdk) {
  const ratio = sdk.cpu_us_per_call / own.cpu_us_per_call
  console.log(`the SDK's client takes ${ratio.toFixed(2)} × the processor time of ours`)
}
await client.close()
await upstreams.close()
