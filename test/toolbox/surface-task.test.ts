import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, test } from 'vitest'
import { PACKAGE_FOLDER } from '../../src/platform/basics/package-folder.ts'
import { childEnv, runProgram } from '../harness/run-program.ts'
import { verifies } from '../requirements/verifies.ts'
import { type Result, startToolHub, type ToolHub } from './surface-hub.fixture.ts'
import { fingerprintOf } from './surface-project.fixture.ts'

const MAIN = join(PACKAGE_FOLDER, 'src/main.ts')
const INSPECTOR = join(
  PACKAGE_FOLDER,
  'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
)

/** An agent's program, connected to the tools of `services/web`. */
interface Agent extends AsyncDisposable {
  list(): Promise<string[]>
  call(tool: string, args: Record<string, unknown>): Promise<Result>
}

/** As a client's configuration has it: the command that serves one service to one agent. */
function seatedProgram({ hub, project }: ToolHub, role = 'dev') {
  return {
    command: process.execPath,
    args: [MAIN, 'mcp', '--project', project.root, '--service', 'services/web', '--role', role],
    env: childEnv(hub.options.env),
    stderr: 'pipe' as const,
  }
}

interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>
  close(): Promise<void>
}

function agentOf(client: AnyClient): Agent {
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, args) {
      const { content, structuredContent } = (await client.callTool({ name, arguments: args })) as {
        content: { text: string }[]
        structuredContent: unknown
      }
      const result = JSON.parse(content[0]?.text ?? '')
      // A refusal too: a client that knows the schema reads nothing else.
      expect(structuredContent).toEqual(result)
      return result
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

const info = { name: 'claude-code', version: '1.0' }
const AGENTS: Readonly<Record<string, (tools: ToolHub) => Promise<Agent>>> = {
  'the 2.x client over stdio': (tools) => connectOverStdio(tools, {}),
  async 'the 1.x client over stdio'(tools) {
    const client = new OldClient(info)
    await client.connect(new OldStdio(seatedProgram(tools)))
    return agentOf(client)
  },
  async 'the 2.x client over HTTP with a session'(tools) {
    const client = new Client(info, { versionNegotiation: { mode: 'auto' } })
    const headers = { authorization: `Bearer ${await tools.bearer()}` }
    const address = new URL(`${tools.hub.url}/mcp`)
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }))
    return agentOf(client)
  },
  'the inspector': async (tools) => inspectorOf(tools),
}

/** The official inspector without a screen: a process, and a server of ours, for every call. */
function inspectorOf(tools: ToolHub): Agent {
  const { command, args } = seatedProgram(tools)
  const { folder } = tools.hub.home
  async function inspect(...asked: string[]) {
    const settings = ['-e', `KNOWTATION_HOME=${folder}`, '--format', 'json', '-q', ...asked]
    const env = { HOME: tools.project.base, MCP_CATALOG_PATH: join(folder, 'catalog.json') }
    const { stdout, stderr } = await runProgram(
      [INSPECTOR, '--cli', ...settings, '--', command, ...args],
      env,
    )
    try {
      return JSON.parse(stdout).result
    } catch {
      throw new Error(stderr)
    }
  }
  return {
    async list() {
      const { tools: listed } = await inspect('--method', 'tools/list', '--strict')
      return listed.map(({ name }: { name: string }) => name)
    },
    async call(name, given) {
      const call = ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(given)]
      return JSON.parse((await inspect(...call)).content[0].text)
    },
    [Symbol.asyncDispose]: async () => {},
  }
}

/** Finds a place, changes it, tests the change and commits it. */
async function doTask(agent: Agent): Promise<void> {
  const found = await agent.call('search_file', { path: '.', regex: "'hello'", recursive: true })
  const [match] = found.data.matches
  expect(match).toMatchObject({ file: 'src/main.mjs', line: 1, content: "export const greeting = 'hello'" })
  const spec = match.content as string
  const edit = { operation: 'replace', spec, content: spec.replace('hello', 'good day') }
  const edited = await agent.call('edit_file', { path: match.file, edits: [edit] })
  expect(edited.data).toMatchObject({ edits_applied: 1, path: 'src/main.mjs' })
  const tested = await agent.call('run_test', { target: 'src/main.test.mjs' })
  expect(tested.data, JSON.stringify(tested)).toMatchObject({ stdout: '1 passed\n', exit_code: 0 })
  expect((await agent.call('git_add', { files: ['src/main.mjs'] })).data.added).toEqual(['src/main.mjs'])
  const committed = await agent.call('git_commit', { message: 'Greet politely' })
  expect(committed.status, JSON.stringify(committed)).toBe('success')
  const outside = await agent.call('read_file', { path: '../../README.md' })
  expect(outside.error?.code).toBe('SecurityError')
}

describe.each(Object.keys(AGENTS))('%s', (name) => {
  verifies(
    ['TOOL-002', 'TOOL-023', 'TOOL-033', 'TOOL-040', 'TOOL-048', 'TOOL-080', 'TOOL-086', 'TOOL-087'],
    'does a whole small task, and nothing outside the service is touched',
    async () => {
      await using tools = await startToolHub()
      const { project } = tools
      const hash = () =>
        fingerprintOf(project.base, ['project/services/web', 'project/.git', '.mcp-inspector'])
      const before = hash()
      const connect = AGENTS[name] as (tools: ToolHub) => Promise<Agent>
      await using agent = await connect(tools)
      expect(await agent.list()).toContain('edit_file')
      await doTask(agent)
      expect(project.git('log', '-1', '--format=%s', '--name-only').trim().split('\n')).toEqual([
        'Greet politely',
        '',
        'services/web/src/main.mjs',
      ])
      expect(project.git('status', '--porcelain')).toBe('')
      expect(project.read('services/web/src/main.mjs')).toBe("export const greeting = 'good day'\n")
      expect(hash()).toBe(before)
      const { records } = await tools.owner('GET', '/api/v1/audit?limit=50')
      const calls = records.filter(
        (record: any) => record.outcome === 'allowed' && record.caller_kind === 'toolbox',
      )
      const done = calls.map((record: any) => record.operation).toReversed()
      expect(done).toEqual(['search_file', 'edit_file', 'run_test', 'git_add', 'git_commit'])
    },
    120_000,
  )
})

async function connectOverStdio(tools: ToolHub, changes: object): Promise<Agent> {
  const client = new Client(info, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StdioClientTransport({ ...seatedProgram(tools), ...changes }))
  return agentOf(client)
}

describe('the program that serves a seat over stdio', () => {
  verifies(['TOOL-004', 'TOOL-096'], 'keeps to the role it was started with', async () => {
    await using tools = await startToolHub()
    await using ghost = await connectOverStdio(tools, { args: seatedProgram(tools, 'ghost').args })
    expect(await ghost.list()).toEqual([])
    expect((await ghost.call('read_file', { path: 'docs/a.md' })).error?.code).toBe('PermissionDenied')
    await using manager = await connectOverStdio(tools, {
      args: seatedProgram(tools, 'release_manager').args,
    })
    expect(await manager.list()).toContain('git_push')
    expect((await manager.call('install_package', {})).error?.code).toBe('PermissionDenied')
    expect((await manager.call('flow_list', {})).error?.code).toBe('ToolNotFound')
  })

  verifies('TOOL-020', 'never shows the access token that it was given', async () => {
    await using tools = await startToolHub()
    const token = 'an-access-token-of-the-task'
    tools.project.write('services/web/src/token.txt', `it is ${token}\n`)
    const env = { ...seatedProgram(tools).env, KNOWTATION_ACCESS_TOKEN: token }
    await using agent = await connectOverStdio(tools, { env })
    const { data } = await agent.call('read_file', { path: 'src/token.txt' })
    expect(data.content).toMatch(/^it is \[REDACTED:\w+\]\n$/)
  })

  test('is stopped by a lock that the owner sets on the running hub', async () => {
    await using tools = await startToolHub()
    const args = [...seatedProgram(tools).args, '--agent', 'by-stdio']
    await using agent = await connectOverStdio(tools, { args })
    expect((await agent.call('git_status', {})).status).toBe('success')
    await tools.owner('POST', '/api/v1/locks', { kind: 'agent', id: 'by-stdio' })
    expect((await agent.call('git_status', {})).error?.code).toBe('Locked')
    await tools.owner('DELETE', '/api/v1/locks/agent?id=by-stdio')
    expect((await agent.call('git_status', {})).status).toBe('success')
  })
})
