import { expect, test } from 'vitest'
import { ADDRESS_CLIENTS } from '../../src/domains/control/clients/address-clients.ts'
import { cliAt, temporaryFolder } from '../../src/surfaces/cli/run-cli.fixture.ts'
import { startTestHub } from '../harness/test-hub.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { blocksOf, readPage } from './run-guide.fixture.ts'

const PAGE = readPage('docs/connect.md')
const USUAL = 'http://127.0.0.1:4747'

test('the clients are those of the command', () => {
  const [, named = ''] = /own file \(([^)]*)\)/.exec(PAGE.replaceAll('\n', ' ')) ?? []
  expect([...named.matchAll(/`([\w-]+)`/g)].map(([, name]) => name)).toEqual(Object.keys(ADDRESS_CLIENTS))
})

test('what clients are told to be given is what `connect` writes for them', async () => {
  const blocks = blocksOf(PAGE, '').join('\n')
  expect(blocks).toContain(`${USUAL}/mcp`)
  const lines = blocks.split('\n').filter((text) => / mcp add /.test(text))
  expect(lines).toHaveLength(3)
  for (const line of lines) {
    const client = line.split(' ')[0] === 'claude' ? 'claude-code' : (line.split(' ')[0] ?? '')
    const asked = ['connect', client, '--url', USUAL, '--print', '--json']
    const { stdout } = await cliAt(temporaryFolder())(asked)
    const { url, settings } = JSON.parse(stdout)
    expect(line.split(/\s+/)).toContain(url)
    expect(Object.keys(Object.values(settings)[0] as object)).toEqual(['knowtation'])
  }
})

test('each address for programs answers', async () => {
  await using hub = await startTestHub()
  const [, table = ''] = PAGE.split('## For programs')
  const addresses = [...table.matchAll(/`(GET|POST) (\/[\w./-]+)`|, `(\/oauth\/[\w/]+)`/g)]
  expect(addresses.length).toBeGreaterThanOrEqual(5)
  for (const [, method = 'POST', path = ''] of addresses.map(([all, m, p, q]) => [all, m, p ?? q])) {
    const { status } = await send(hub.url, { method, path, ...(method === 'POST' && { body: '{}' }) })
    expect([path, status]).not.toEqual([path, 404])
    expect(status).toBeLessThan(500)
  }
})
