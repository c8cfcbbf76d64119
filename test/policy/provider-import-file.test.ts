import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { parse as parseToml } from 'smol-toml'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { importFromFile } from '../../src/surfaces/cli/commands/provider-import/import-from-file.ts'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'
import { temporaryFolder } from '../store/temporary-folder.ts'

const SECRET = 'a-very-long-value-that-nobody-prints'
let hub: TestHub
beforeAll(async () => {
  hub = await startTestHub({ policy: '# mine\nexternal_agent:\n  enabled: true\n' })
})
afterAll(() => hub.close())

const providers = () =>
  (parseYaml(readFileSync(hub.home.vaultPolicy('default'), 'utf8')) as any).external_agent.providers

/** Runs the import as a command line does. */
async function run(path: string, ...flags: string[]) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const written = Promise.all([text(stdout), text(stderr)])
  const io = { stdin, stdout, stderr, isTerminal: false, isErrorTerminal: false, columns: 200 }
  const command = {
    words: ['provider', 'import'],
    summary: '',
    positionals: [],
    flags: [],
    reach: 'hub' as const,
  }
  const exit = await importFromFile(
    {
      command: { ...command, run: async () => 0 },
      positionals: [],
      flags: new Map(flags.map((name) => [name, ['true']])),
      globals: { json: false, home: undefined, url: undefined, token: undefined, vault: undefined },
      env: hub.options.env,
      io,
    },
    path,
  )
  stdout.end()
  stderr.end()
  const [out, err] = await written
  return { exit, said: out + err }
}

function fileNamed(name: string, content: string | object): string {
  const path = join(temporaryFolder(), name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
  return path
}

describe('the servers of a client move behind the hub', () => {
  test('.mcp.json: credentials go into private files, references stay references, nothing is printed', async () => {
    const path = fileNamed('.mcp.json', {
      mcpServers: {
        GitHub: {
          command: 'npx',
          args: ['-y', 'gh'],
          env: { GH_TOKEN: SECRET, LOG_LEVEL: 'info', OTHER: '${OTHER}' },
        },
        remote: {
          type: 'http',
          url: 'https://x.example.test/mcp',
          headers: { Authorization: `Bearer ${SECRET}` },
        },
        old: { type: 'sse', url: 'https://y.example.test/sse' },
      },
      other: { stays: true },
    })
    const before = readFileSync(hub.home.vaultPolicy('default'), 'utf8')
    const dry = await run(path, 'dry-run', 'write')
    expect([dry.exit, readFileSync(hub.home.vaultPolicy('default'), 'utf8')]).toEqual([0, before])
    expect((await run(path, 'write')).exit).toBe(1)
    const { exit, said } = await run(path, 'yes', 'write')
    expect([exit, said]).toEqual([0, expect.stringContaining('old stays')])
    expect(said + dry.said).not.toContain(SECRET)
    const folder = join(hub.home.folder, 'provider-secrets')
    expect(providers()).toEqual({
      github: {
        kind: 'mcp',
        command: ['npx', '-y', 'gh'],
        env: { GH_TOKEN: `file:${folder}/github-GH_TOKEN`, LOG_LEVEL: 'info', OTHER: 'env:OTHER' },
      },
      remote: {
        kind: 'mcp',
        url: 'https://x.example.test/mcp',
        headers: { Authorization: `Bearer file:${folder}/remote-Authorization` },
      },
    })
    for (const name of ['github-GH_TOKEN', 'remote-Authorization'])
      expect([readFileSync(join(folder, name), 'utf8'), statSync(join(folder, name)).mode & 0o777]).toEqual([
        SECRET,
        0o600,
      ])
    const after = readFileSync(path, 'utf8')
    expect(Object.keys(JSON.parse(after).mcpServers)).toEqual(['old', 'knowtation'])
    expect([JSON.parse(after).other, after.includes(SECRET)]).toEqual([{ stays: true }, false])
    expect(readdirSync(join(path, '..'))).toEqual(['.mcp.json'])
    expect(hub.hub.rulesOf('default').policy.damaged).toBeUndefined()
  })

  test("Codex', VS Code's and Cursor's files, and what a registry says of a server", async () => {
    const codex = fileNamed(
      'config.toml',
      '# mine\nmodel = "x"\n[mcp_servers.docs]\ncommand = "uvx"\nargs = ["docs"]\n[mcp_servers.docs.env]\nKEY = "abc"\n[tui]\na = 1\n',
    )
    expect((await run(codex, 'yes', 'write')).exit).toBe(0)
    const toml = readFileSync(codex, 'utf8')
    expect([toml.startsWith('# mine\n'), Object.keys((parseToml(toml) as any).mcp_servers)]).toEqual([
      true,
      ['knowtation'],
    ])
    const code = fileNamed(
      '.vscode/mcp.json',
      '{\n  // mine\n  "servers": { "db": { "command": "db", "args": [], "env": { "P": "${input:pw}" }, }, },\n}\n',
    )
    const asked = await run(code, 'yes')
    expect([asked.exit, asked.said]).toEqual([0, expect.stringContaining('set PW in the environment')])
    const cursor = fileNamed('.cursor/mcp.json', {
      mcpServers: { own: { url: 'https://z.example.test/mcp' } },
    })
    expect((await run(cursor, 'yes', 'write')).exit).toBe(0)
    expect(Object.keys(JSON.parse(readFileSync(cursor, 'utf8')).mcpServers)).toEqual(['knowtation'])
    const registry = fileNamed('server.json', {
      name: 'io.example/weather',
      packages: [
        {
          registryType: 'npm',
          identifier: '@example/weather',
          version: '1.2.3',
          environmentVariables: [{ name: 'WEATHER_KEY', isSecret: true }],
        },
      ],
    })
    expect((await run(registry, 'yes', 'write')).exit).toBe(0)
    const named = providers()
    expect(named.docs).toMatchObject({ command: ['uvx', 'docs'] })
    expect(named.db.env).toEqual({ P: 'env:PW' })
    expect(named.weather).toEqual({
      kind: 'mcp',
      command: ['npx', '-y', '@example/weather@1.2.3'],
      env: { WEATHER_KEY: 'env:WEATHER_KEY' },
    })
  })

  test('what cannot be done leaves nothing behind', async () => {
    const policy = readFileSync(hub.home.vaultPolicy('default'), 'utf8')
    const bad = fileNamed('.mcp.json', {
      mcpServers: { x: { command: 'a', args: ['b\nc'], env: { K: SECRET } } },
    })
    expect((await run(bad, 'yes')).exit).toBe(1)
    expect(existsSync(join(hub.home.folder, 'provider-secrets', 'x-K'))).toBe(false)
    const remarks = fileNamed('.mcp.json', '{ /* mine */ "mcpServers": { "y": { "command": "y" } } }')
    await expect(run(remarks, 'yes', 'write')).rejects.toThrow('was left as it is')
    for (const content of ['{', '[]', '{"mcpServers": 7}', '\u0000'])
      await expect(run(fileNamed('.mcp.json', content), 'yes')).rejects.toThrow('was left as it is')
    await expect(run('/no/such/file', 'yes')).rejects.toThrow('was left as it is')
    expect(readFileSync(hub.home.vaultPolicy('default'), 'utf8')).toBe(policy)
  })
})
