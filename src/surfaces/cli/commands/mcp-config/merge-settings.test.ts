import { describe, expect, test } from 'vitest'
import { MCP_CLIENTS } from '../../../../domains/control/clients/mcp-clients.ts'
import { mergeSettings, UnmergeableFile } from '../../../../domains/control/clients/merge-settings.ts'

const STDIO = { kind: 'stdio', command: '/usr/bin/node', args: ['/opt/knowtation.js', 'mcp'] } as const

const settingsOf = (client: string, reach: typeof STDIO) => MCP_CLIENTS[client]?.settings(reach) ?? {}

describe('TOML', () => {
  const settings = settingsOf('codex', STDIO)
  const table = '[mcp_servers.knowtation]\ncommand = "/usr/bin/node"\nargs = ["/opt/knowtation.js","mcp"]\n'

  test('a new table goes to the end, below what is there', () => {
    expect(mergeSettings('', settings, 'toml')).toBe(table)
    expect(mergeSettings('model = "x" # why\n', settings, 'toml')).toBe(`model = "x" # why\n\n${table}`)
  })

  test('an existing table is replaced in its place; tables, comments and texts around it stay', () => {
    const start = 'notes = """\n[mcp_servers.knowtation]\n"""\nlist = [\n  "a", # [x]\n]\n\n'
    const end = '\n# about the next\n[mcp_servers.knowtation.env]\nA = "1"\n\n[[other]]\nb = \'c\'\n'
    const before = `${start}[mcp_servers.knowtation]\nurl = "http://old"\nstartup = 1\n${end}`
    const after = mergeSettings(before, settings, 'toml')
    expect(after).toBe(`${start}${table}${end}`)
    expect(mergeSettings(after, settings, 'toml')).toBe(after)
  })

  test('a line in a text that only looks like the table is left alone, and so is what was on its own lines', () => {
    const text = 'notes = """\n[mcp_servers.knowtation]\n"""\n'
    expect(mergeSettings(text, settings, 'toml')).toBe(`${text}\n${table}`)
    const before = '[mcp_servers."knowtation"]\r\nenv = { A = "1" }\r\n[z]\r\nd = nan\r\n'
    const after = mergeSettings(before, settings, 'toml')
    expect(after.replaceAll('\r\n', '\n')).toBe(
      `${table.replace('knowtation]', '"knowtation"]')}[z]\nd = nan\n`,
    )
  })

  test.each([
    'mcp_servers = { knowtation = { command = "x" } }\n',
    'mcp_servers.knowtation.command = "x"\n',
    '[mcp_servers]\nknowtation = { command = "x" }\n',
    'a = [\n',
    'a = "b\n',
    'just words\n',
    'a = 1 ]\n',
    '[[mcp_servers.knowtation]]\na = 1\n',
  ])('a file such as %j is not merged', (text) => {
    expect(() => mergeSettings(text, settings, 'toml')).toThrow(UnmergeableFile)
  })
})
