import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, test } from 'vitest'
import { SUGGESTIONS, TOOL_ERRORS } from '../../src/domains/toolbox/tool-errors.ts'
import { FAULT_CODES } from '../../src/domains/toolbox/tool-fault.ts'
import { registry } from '../harness/call.ts'
import { BIN, childEnv } from '../harness/run-program.ts'
import { makeToolProject } from '../toolbox/surface-project.fixture.ts'
import { blocksOf, expectShown, readPage, runPage } from './run-guide.fixture.ts'

/** The rows of the table under a heading of the guide, without its head. */
function tableUnder(heading: string): string[][] {
  const lines = readPage('docs/toolbox.md', heading)
    .split('\n')
    .filter((line) => line.startsWith('|'))
  return lines.slice(2).map((line) => line.slice(2, -2).split(' | '))
}

describe('the guide to the toolbox', () => {
  test('runs as written and answers as shown', async () => {
    const page = readPage('docs/toolbox.md')
    const output = await runPage(page)
    expectShown(page, output)
    expect(output).toContain('The audit log is intact')
    expect(output).not.toContain('command not found')
  }, 240_000)

  test('connects a client as its configuration says', async () => {
    using project = makeToolProject()
    const [configuration = ''] = blocksOf(readPage('docs/toolbox.md', 'Connect a client'), 'json')
    const { command, args } = Object.values<any>(JSON.parse(configuration).mcpServers)[0]
    // A client starts it in a folder of its own: a name without a path would be looked up elsewhere.
    expect(command).toMatch(/^\/.+\/node_modules\/\.bin\/node$/)
    expect(args[0]).toMatch(/^\/.+\/bin\/knowtation\.js$/)
    const words = args.slice(1).map((word: string) => (word.startsWith('/') ? project.root : word))
    const env = childEnv({ KNOWTATION_HOME: `${project.base}/hub` })
    const client = new Client({ name: 'claude-code', version: '1' })
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [BIN, ...words], env, stderr: 'pipe' }),
    )
    const { content } = await client.callTool({ name: 'read_file', arguments: { path: 'docs/a.md' } })
    await client.close()
    expect(JSON.parse((content[0] as { text: string }).text).data.content).toBe('# A\n')
  }, 60_000)

  test('lists every fault with its status, meaning and suggestion', () => {
    const rows = FAULT_CODES.map((code) => {
      const { status, message } = TOOL_ERRORS[code]
      return [`\`${code}\``, String(status), message, SUGGESTIONS[code]]
    })
    const written = tableUnder('Faults')
    expect(written.toSorted()).toEqual(rows.toSorted())
  })

  test('gives each tool to the roles that have it', () => {
    const written: Record<string, string[]> = {}
    const roles = ['dev', 'sre', 'release_manager', 'product_owner']
    for (const [names = '', ...cells] of tableUnder('Roles')) {
      const open = roles.filter((_, at) => cells[at] !== '–')
      for (const [, name = ''] of names.matchAll(/`(\w+)`/g)) written[name] = open
    }
    const real: Record<string, readonly string[]> = {}
    for (const { name, authority } of registry.values())
      if (authority.kind === 'seat') real[name] = roles.filter((role) => authority.roles.includes(role))
    expect(written).toEqual(real)
  })
})

test("the toolbox part of the README's tour runs as written and answers as shown", async () => {
  const page = readPage('README.md', 'Tools for an agent that codes')
  expectShown(page, await runPage(page))
}, 60_000)
