import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MCP_CLIENTS } from '../../../../domains/control/clients/mcp-clients.ts'
import { mergeSettings, UnmergeableFile } from '../../../../domains/control/clients/merge-settings.ts'
import { cliAt, temporaryFolder } from '../../run-cli.fixture.ts'

const STDIO = { kind: 'stdio', command: '/usr/bin/node', args: ['/opt/knowtation.js', 'mcp'] } as const
const HTTP = { kind: 'http', url: 'http://127.0.0.1:4747/mcp' } as const

const settingsOf = (client: string, reach: typeof STDIO | typeof HTTP) =>
  MCP_CLIENTS[client]?.settings(reach) ?? {}

describe('what is printed', () => {
  test.each(Object.keys(MCP_CLIENTS))('%s: the settings hold no secret and name the hub', async (client) => {
    const home = temporaryFolder()
    const cli = cliAt(home, { KNOWTATION_TOKEN: 'ktok_secret' })
    const local = await cli(['mcp', 'config', '--client', client])
    const remote = await cli(['mcp', 'config', '--client', client, '--url', 'http://127.0.0.1:4747'])
    expect([local.exit, remote.exit]).toEqual([0, 0])
    expect(local.stdout).toContain(home)
    expect(remote.stdout).toContain('http://127.0.0.1:4747/mcp')
    expect(local.stdout + remote.stdout + remote.stderr).not.toContain('ktok_secret')
  })

  test.each(Object.keys(MCP_CLIENTS))(
    '%s: a seat is named in full, and beside the hub itself',
    async (client) => {
      const project = temporaryFolder()
      mkdirSync(join(project, '.flow'))
      mkdirSync(join(project, 'services', 'my web'), { recursive: true })
      const cli = cliAt(temporaryFolder())
      const asked = ['mcp', 'config', '--client', client, '--json']
      const seat = [
        '--project',
        project,
        '--service',
        'services/my web',
        '--role',
        'sre',
        '--agent-id',
        'web',
      ]
      const { settings } = JSON.parse((await cli([...asked, ...seat])).stdout) as {
        settings: Record<string, Record<string, { args: string[] }>>
      }
      const [servers = {}] = Object.values(settings)
      expect(Object.keys(servers)).toEqual(['knowtation-my-web'])
      const folders = ['--project', project, '--service', join(project, 'services', 'my web')]
      const told = [...folders, '--role', 'sre', '--agent-id', 'web']
      expect(servers['knowtation-my-web']?.args.slice(-told.length)).toEqual(told)
      const named = await cli([...asked, ...seat, '--name', 'shop'])
      expect(named.stdout).toContain('"shop"')
    },
  )

  test.each([
    [['--role', 'dev'], '--service DIR is missing.'],
    [['--service', '.', '--project', '.', '--role', 'boss'], 'There is no role boss.'],
    [['--service', '.', '--project', '.', '--url', 'http://127.0.0.1:4747'], 'not for --url'],
    [['--name', 'a b'], '--name takes letters'],
  ])('%j is refused', async (flags, told) => {
    const asked = ['mcp', 'config', '--client', 'cursor', ...flags]
    const { exit, stdout, stderr } = await cliAt(temporaryFolder())(asked)
    expect([exit, stdout]).toEqual([2, ''])
    expect(stderr).toContain(told)
  })

  test('the forms that each client documents', () => {
    const forms = Object.fromEntries(
      Object.keys(MCP_CLIENTS).map((client) => [
        client,
        { stdio: settingsOf(client, STDIO), http: settingsOf(client, HTTP) },
      ]),
    )
    expect(forms).toMatchInlineSnapshot(`
      {
        "claude-code": {
          "http": {
            "mcpServers": {
              "knowtation": {
                "headers": {
                  "Authorization": "Bearer \${KNOWTATION_TOKEN}",
                },
                "type": "http",
                "url": "http://127.0.0.1:4747/mcp",
              },
            },
          },
          "stdio": {
            "mcpServers": {
              "knowtation": {
                "args": [
                  "/opt/knowtation.js",
                  "mcp",
                ],
                "command": "/usr/bin/node",
                "type": "stdio",
              },
            },
          },
        },
        "claude-desktop": {
          "http": {
            "mcpServers": {
              "knowtation": {
                "args": [
                  "-y",
                  "mcp-remote",
                  "http://127.0.0.1:4747/mcp",
                  "--header",
                  "Authorization:\${KNOWTATION_AUTHORIZATION}",
                ],
                "command": "npx",
              },
            },
          },
          "stdio": {
            "mcpServers": {
              "knowtation": {
                "args": [
                  "/opt/knowtation.js",
                  "mcp",
                ],
                "command": "/usr/bin/node",
              },
            },
          },
        },
        "codex": {
          "http": {
            "mcp_servers": {
              "knowtation": {
                "bearer_token_env_var": "KNOWTATION_TOKEN",
                "url": "http://127.0.0.1:4747/mcp",
              },
            },
          },
          "stdio": {
            "mcp_servers": {
              "knowtation": {
                "args": [
                  "/opt/knowtation.js",
                  "mcp",
                ],
                "command": "/usr/bin/node",
              },
            },
          },
        },
        "cursor": {
          "http": {
            "mcpServers": {
              "knowtation": {
                "headers": {
                  "Authorization": "Bearer \${env:KNOWTATION_TOKEN}",
                },
                "url": "http://127.0.0.1:4747/mcp",
              },
            },
          },
          "stdio": {
            "mcpServers": {
              "knowtation": {
                "args": [
                  "/opt/knowtation.js",
                  "mcp",
                ],
                "command": "/usr/bin/node",
                "type": "stdio",
              },
            },
          },
        },
        "vscode": {
          "http": {
            "inputs": [
              {
                "description": "Knowtation token",
                "id": "knowtation-token",
                "password": true,
                "type": "promptString",
              },
            ],
            "servers": {
              "knowtation": {
                "headers": {
                  "Authorization": "Bearer \${input:knowtation-token}",
                },
                "type": "http",
                "url": "http://127.0.0.1:4747/mcp",
              },
            },
          },
          "stdio": {
            "servers": {
              "knowtation": {
                "args": [
                  "/opt/knowtation.js",
                  "mcp",
                ],
                "command": "/usr/bin/node",
                "type": "stdio",
              },
            },
          },
        },
      }
    `)
  })

  test('an address to which a client would send its token in clear text is refused', async () => {
    const { exit } = await cliAt(temporaryFolder())('mcp config --client cursor --url http://example.test')
    expect(exit).toBe(2)
  })
})

describe('--write', () => {
  test('merges into a JSON file, keeps everything else and the former file', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'Claude', 'claude_desktop_config.json')
    const before = `${JSON.stringify({ theme: 'dark', mcpServers: { other: { command: 'x' } } }, null, 4)}\n`
    mkdirSync(dirname(file))
    writeFileSync(file, before)
    const cli = cliAt(join(folder, 'home'), { XDG_CONFIG_HOME: folder })
    expect((await cli('mcp config --client claude-desktop --write')).exit).toBe(0)
    const text = readFileSync(file, 'utf8')
    const after = JSON.parse(text)
    expect(after).toMatchObject({ theme: 'dark', mcpServers: { other: { command: 'x' } } })
    expect(after.mcpServers.knowtation.args).toContain('mcp')
    expect(text).toContain('\n    "theme"')
    const backups = readdirSync(dirname(file)).filter((name) => name.endsWith('.bak'))
    expect(backups.map((name) => readFileSync(join(dirname(file), name), 'utf8'))).toEqual([before])
    await cli('mcp config --client claude-desktop --write')
    expect(readdirSync(dirname(file))).toHaveLength(2)
  })

  test('leaves a file alone that it cannot read', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'config.toml')
    writeFileSync(file, 'model = "unfinished\n')
    const { exit, stderr } = await cliAt(folder, { CODEX_HOME: folder })('mcp config --client codex --write')
    expect(exit).toBe(1)
    expect(stderr).toContain('Error (FILE_NOT_MERGED)')
    expect(readFileSync(file, 'utf8')).toBe('model = "unfinished\n')
    expect(readdirSync(folder)).toEqual(['config.toml'])
  })

  test.each(['{"a":1,"a":2}', '// a comment\n{}', '[]', '{"mcpServers":[]}', 'not json'])(
    'a JSON file such as %s is not merged',
    (text) => {
      expect(() => mergeSettings(text, settingsOf('cursor', STDIO), 'json')).toThrow(UnmergeableFile)
    },
  )

  test("VS Code's inputs are matched by id", () => {
    const before = JSON.stringify({
      inputs: [{ id: 'mine' }, { id: 'knowtation-token', old: true }],
      servers: {},
    })
    const after = JSON.parse(mergeSettings(before, settingsOf('vscode', HTTP), 'json'))
    expect(after.inputs.map((input: { id: string }) => input.id)).toEqual(['mine', 'knowtation-token'])
    expect(after.inputs[1].old).toBeUndefined()
  })
})
