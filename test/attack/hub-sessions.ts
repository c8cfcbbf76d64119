import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { PROGRAM } from '../harness/run-program.ts'
import type { World } from './world.ts'

const START_LIMIT_MS = 60_000
/** A call that takes longer hangs. */
export const CALL_LIMIT_MS = 90_000
const CLOSE_LIMIT_MS = 5_000

/** An agent's connection to a hub; it lives as long as the attacks do. */
export interface Session {
  readonly name: string
  /** Calls a tool; what came back as text, also where it is an error. */
  call(tool: string, args: object): Promise<string>
  close(): Promise<void>
  /** Kills the hub, where it is a process of the session's own. */
  kill?(): void
}

export interface Seat {
  readonly service: string
  readonly role: 'dev' | 'sre' | 'release_manager' | 'product_owner'
}

/** A hub that an MCP client started, as clients do. */
export async function openStdio(
  world: World,
  home: string,
  seat: Seat,
  project = world.project,
): Promise<Session> {
  const { service, role } = seat
  const place = ['--project', project, '--service', service, '--role', role, '--agent-id', 'attacker']
  const client = new Client({ name: 'attack', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp', '--home', home, ...place],
    env: hubEnv(world),
    stderr: 'ignore',
  })
  await client.connect(transport)
  const killed = Promise.withResolvers<string>()
  const callTool = async (tool: string, args: object): Promise<string> => {
    const given = { name: tool, arguments: { ...args } }
    const { content } = await client.callTool(given, { timeout: CALL_LIMIT_MS })
    const [first] = content
    return first?.type === 'text' ? first.text : JSON.stringify(content)
  }
  return {
    name: `stdio ${service} ${role}`,
    // A call to a hub that is killed need not come to an end by itself.
    call: (tool, args) => Promise.race([callTool(tool, args), killed.promise]),
    close: () => Promise.race([client.close(), sleep(CLOSE_LIMIT_MS)]),
    kill() {
      if (transport.pid) process.kill(transport.pid, 'SIGKILL')
      killed.resolve('killed')
    },
  }
}

/** A hub that serves HTTP. */
export interface Served {
  open(seat: Seat): Promise<Session>
  close(): Promise<void>
}

/** Starts `knowtation serve` on a free port of this machine. */
export async function serveHub(world: World, home: string): Promise<Served> {
  const args = ['serve', '--log', 'json', '--port', '0', '--home', home]
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: hubEnv(world),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const url = await readyUrl(child)
  return {
    async open(seat) {
      const bearer = await giveSeat(world, home, seat)
      return {
        name: `REST ${seat.service} ${seat.role}`,
        call: (tool, given) => post(`${url}/api/v1/tools/${tool}`, bearer, given),
        close: async () => undefined,
      }
    },
    async close() {
      const closed = once(child, 'close')
      child.kill('SIGTERM')
      await closed
    },
  }
}

async function readyUrl(child: ChildProcess): Promise<string> {
  let output = ''
  const signal = AbortSignal.timeout(START_LIMIT_MS)
  while (!output.includes('\n')) {
    const [chunk] = await once(child.stdout as NonNullable<typeof child.stdout>, 'data', { signal })
    output += String(chunk)
  }
  child.stdout?.resume()
  return (JSON.parse(output.slice(0, output.indexOf('\n'))) as { url: string }).url
}

/** Only the owner gives seats, on the command line of the home. */
async function giveSeat(world: World, home: string, { service, role }: Seat): Promise<string> {
  const place = ['--project', world.project, '--service', service, '--role', role, '--agent-id', 'attacker']
  const args = [PROGRAM, 'tool', 'session', 'create', '--json', '--home', home, ...place]
  const give = () => promisify(execFile)(process.execPath, args, { env: hubEnv(world) })
  // Beside the other attacks a first try may end with 2; why is not known yet, so what it answers (on stdout, for --json) is told.
  const { stdout } = await give().catch(async (first: Error & { code?: unknown; stdout?: string }) => {
    console.error('A seat was asked for once more:', first.code, first.stdout)
    await new Promise((go) => setTimeout(go, 2_000))
    return give()
  })
  return (JSON.parse(stdout) as { bearer: string }).bearer
}

/** Throws where no tool has answered: a call that nobody takes attacks nothing. */
async function post(url: string, bearer: string, body: object): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(CALL_LIMIT_MS),
  })
  const text = await response.text()
  if (!text.startsWith('{"status":')) throw new Error(`no tool answers: ${text.slice(0, 200)}`)
  return text
}

/** Nothing of the surroundings decides how the hub runs; the attacker is the only program of the toolchain. */
function hubEnv({ base, toolchain }: World): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: base,
    TMPDIR: process.env.TMPDIR ?? '/tmp',
    NODE_COMPILE_CACHE: join(base, 'compiled'),
    KNOWTATION_TOOLCHAIN_PATH: toolchain,
  }
}
