import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { ADDRESS_CLIENTS } from '../../../../domains/control/clients/address-clients.ts'
import { mergeSettings, UnmergeableFile } from '../../../../domains/control/clients/merge-settings.ts'
import { cliAt, temporaryFolder } from '../../run-cli.fixture.ts'

const URL_OF_HUB = 'http://127.0.0.1:4747'
const NAMES = Object.keys(ADDRESS_CLIENTS)

interface Told {
  url: string
  file: string
  settings: object
  written: boolean
  scope: string
  link?: string
}

test('the clients are those that are promised', () => {
  const promised = 'claude-code claude-desktop cursor vscode codex gemini windsurf zed goose opencode'
  expect(NAMES).toEqual(promised.split(' '))
})

test.each(NAMES)('%s: the settings are the address and nothing more', async (client) => {
  const cli = cliAt(temporaryFolder(), { KNOWTATION_TOKEN: 'ktok_secret' })
  const asked = ['connect', client, '--url', URL_OF_HUB, '--print', '--json']
  const { exit, stdout } = await cli(asked)
  expect(exit).toBe(0)
  const told = JSON.parse(stdout) as Told
  expect(told).toMatchObject({ url: `${URL_OF_HUB}/mcp`, written: false })
  const text = JSON.stringify(told.settings)
  expect(text).toContain(`${URL_OF_HUB}/mcp`)
  for (const word of ['ktok_', 'Authorization', 'Bearer', 'token', 'headers'])
    expect([word, text.includes(word)]).toEqual([word, false])
})

test('the forms that each client documents', () => {
  const forms = NAMES.map((client) => [client, ADDRESS_CLIENTS[client]?.settings(`${URL_OF_HUB}/mcp`, 'k')])
  const url = `${URL_OF_HUB}/mcp`
  expect(Object.fromEntries(forms)).toEqual({
    'claude-code': { mcpServers: { k: { type: 'http', url } } },
    'claude-desktop': {
      mcpServers: { k: { command: 'npx', args: ['-y', 'mcp-remote', url, '--allow-http'] } },
    },
    cursor: { mcpServers: { k: { url } } },
    vscode: { servers: { k: { type: 'http', url } } },
    codex: { mcp_servers: { k: { url } } },
    gemini: { mcpServers: { k: { httpUrl: url } } },
    windsurf: { mcpServers: { k: { serverUrl: url } } },
    zed: { context_servers: { k: { url } } },
    goose: {
      extensions: { k: { enabled: true, type: 'streamable_http', name: 'k', uri: url, timeout: 300 } },
    },
    opencode: { mcp: { k: { type: 'remote', url, enabled: true } } },
  })
})

test('links hold what the files would', async () => {
  const link = async (client: string) => {
    const asked = ['connect', client, '--url', URL_OF_HUB, '--print', '--json', '--name', 'my-hub']
    return new URL((JSON.parse((await cliAt(temporaryFolder())(asked)).stdout) as { link: string }).link)
  }
  const cursor = await link('cursor')
  expect([cursor.protocol, cursor.host, cursor.pathname, cursor.searchParams.get('name')]).toEqual([
    'cursor:',
    'anysphere.cursor-deeplink',
    '/mcp/install',
    'my-hub',
  ])
  const config = Buffer.from(cursor.searchParams.get('config') ?? '', 'base64').toString()
  expect(JSON.parse(config)).toEqual({ url: `${URL_OF_HUB}/mcp` })
  const vscode = await link('vscode')
  expect(`${vscode.protocol}${vscode.pathname}`).toBe('vscode:mcp/install')
  const told = JSON.parse(decodeURIComponent(vscode.search.slice(1)))
  expect(told).toEqual({ name: 'my-hub', type: 'http', url: `${URL_OF_HUB}/mcp` })
})

describe('writing', () => {
  test('keeps what is in the file, and says what a project must still approve', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'codex', 'config.toml')
    mkdirSync(join(folder, 'codex'))
    writeFileSync(file, 'model = "x" # why\n')
    const cli = cliAt(join(folder, 'home'), { CODEX_HOME: join(folder, 'codex') })
    const done = await cli(['connect', 'codex', '--url', `${URL_OF_HUB}/`])
    expect([done.exit, done.stdout]).toEqual([0, ''])
    expect(done.stderr).toContain('codex mcp login knowtation')
    const text = readFileSync(file, 'utf8')
    expect(text).toContain('# why')
    expect(parseToml(text)).toEqual({ model: 'x', mcp_servers: { knowtation: { url: `${URL_OF_HUB}/mcp` } } })
    const project = await cli(['connect', 'cursor', '--url', URL_OF_HUB, '--print'])
    expect(project.stderr).toContain('belongs to this folder')
    expect((await cli(['connect', 'codex', '--url', URL_OF_HUB, '--print'])).stderr).not.toContain(
      'this folder',
    )
  })

  test('goose: comments and other extensions stay, and odd files are left alone', () => {
    const settings = ADDRESS_CLIENTS.goose?.settings(`${URL_OF_HUB}/mcp`, 'knowtation') ?? {}
    const before = '# mine\nGOOSE_MODEL: x\nextensions:\n  developer: # builtin\n    enabled: true\n'
    const after = mergeSettings(before, settings, 'yaml')
    expect(after).toContain('# mine')
    expect(after).toContain('# builtin')
    expect(parseYaml(after)).toEqual({
      GOOSE_MODEL: 'x',
      extensions: { developer: { enabled: true }, ...settings.extensions },
    })
    expect(mergeSettings(after, settings, 'yaml')).toBe(after)
    expect(parseYaml(mergeSettings('', settings, 'yaml'))).toEqual(settings)
    for (const odd of [
      '- a\n',
      'extensions: 3\n',
      'extensions: [a]\n',
      'a: [\n',
      'just words\n',
      'a: 1\na: 2\n',
    ])
      expect(() => mergeSettings(odd, settings, 'yaml'), odd).toThrow(UnmergeableFile)
  })
})

test.each([
  [['claud-code'], 'Did you mean claude-code?'],
  [['__proto__'], 'There is no client'],
  [['cursor', '--url', 'http://example.test'], 'clear text'],
  [['cursor', '--url', 'https://example.test'], 'not pinned'],
  [['cursor', '--name', '../x', '--url', URL_OF_HUB], '--name takes letters'],
  [['cursor', '--wait', 'long'], '--wait takes seconds'],
  [['cursor', '--role', 'owner'], 'There is no role owner'],
  [['cursor', '--role', 'viewer', '--flow', 'f'], 'not both'],
  [['cursor', '--tools', 'a'], 'about a flow'],
  [['cursor', '--ttl', '1h'], 'about a flow'],
  [['cursor', '--flow', 'f', '--tools', 'a,,b'], '--tools takes names'],
  [['cursor', '--flow', 'f', '--ttl', '2h'], '--ttl takes a time'],
  [['cursor', '--flow', 'f', '--ttl', '0'], '--ttl takes a time'],
  [['cursor', '--flow', 'f', '--ttl', 'long'], '--ttl takes a time'],
  [['cursor', '--role', 'viewer', '--url', URL_OF_HUB], 'for the hub of this home'],
])('%j is refused, and nothing is written', async (words, told) => {
  const { exit, stdout, stderr } = await cliAt(temporaryFolder())(['connect', ...words])
  expect([exit, stdout]).toEqual([2, ''])
  expect(stderr).toContain(told)
})

test('a client that signs in by a command of its own is started to do so, from folders of the path alone', async () => {
  const folder = temporaryFolder()
  const noted = join(folder, 'noted')
  const program = `#!/bin/sh\nprintf '%s ' "$0" "$@" > '${noted}'\nexec sleep 600\n`
  writeFileSync(join(folder, 'codex'), program, { mode: 0o755 })
  const cli = (PATH: string) => cliAt(join(folder, 'home'), { CODEX_HOME: folder, PATH })
  const done = await cli(`${folder}:/bin:/usr/bin`)(['connect', 'codex', '--wait', '10', '--name', 'my-hub'])
  expect(done.exit).toBe(1)
  expect(readFileSync(noted, 'utf8')).toBe(`${join(folder, 'codex')} mcp login my-hub `)
  rmSync(noted)
  for (const [path, ...words] of [
    [relative(process.cwd(), folder), '--wait', '1'],
    [`${folder}:/bin`, '--wait', '0'],
    [`${folder}:/bin`, '--wait', '1', '--json'],
    [`${folder}:/bin`, '--print'],
  ] as [string, ...string[]][])
    await cli(path)(['connect', 'codex', ...words])
  expect(existsSync(noted)).toBe(false)
}, 90_000)

test('without an address it is the hub of the home; who does not sign in within the time is told of', async () => {
  const folder = temporaryFolder()
  const home = join(folder, 'home')
  const cli = cliAt(home, { CODEX_HOME: folder })
  const first = await cli(['connect', 'codex', '--wait', '1'])
  expect([first.exit, first.stderr]).toEqual([1, expect.stringContaining('Error (NOT_CONNECTED)')])
  expect(readFileSync(join(folder, 'config.toml'), 'utf8')).toContain('"http://localhost:4747/mcp"')
  writeFileSync(
    join(home, 'config.yaml'),
    'public_url: https://hub.example.test\ntrusted_proxies: [127.0.0.1]\n',
  )
  const { stdout } = await cli(['connect', 'codex', '--print', '--json'])
  expect((JSON.parse(stdout) as Told).url).toBe('https://hub.example.test/mcp')
  expect((await cli(['connect', 'codex', '--wait', '0'])).exit).toBe(0)
})
