import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { cliAt, temporaryFolder } from '../../src/surfaces/cli/run-cli.fixture.ts'
import { OPEN_POLICY } from '../browser/owner-browser.fixture.ts'
import type { Visitor } from '../control/owner-visitor.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { connect, GRANT, MEMBER, startSignInHub, toolsOf } from './sign-in.fixture.ts'

let hub: TestHub
let owner: Visitor
beforeAll(async () => {
  ;({ hub, owner } = await startSignInHub())
})
afterAll(() => hub.close())

const countLooks = sql<{ count: number }>(
  `SELECT COUNT(*) AS count FROM audit_records WHERE operation = 'audit_list'`,
)
const looksAtLog = async () => Number((await hub.hub.db.get(countLooks))?.count)

/** Runs `connect`, and signs a program in meanwhile; what the command said. */
async function connected(choice: Record<string, string>, meanwhile = async (): Promise<void> => {}) {
  const folder = temporaryFolder()
  const cli = cliAt(hub.home.folder, { ...hub.options.env, CODEX_HOME: folder })
  const before = await looksAtLog()
  const said = cli(['connect', 'codex', '--wait', '60', '--json'])
  // Only what comes after it began to wait counts, and it begins with a look at where the log ends.
  await expect.poll(looksAtLog, { timeout: 30_000 }).toBeGreaterThan(before)
  const { tokens } = await connect(hub, owner, choice)
  await meanwhile()
  const tools = await toolsOf(hub, tokens.access_token)
  const { exit, stdout } = await said
  const [written, told] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const text = readFileSync(join(folder, 'config.toml'), 'utf8')
  rmSync(folder, { recursive: true, force: true })
  return { exit, written, told, tools, text }
}

test('the command says which tools the client sees, as soon as it asks for them', async () => {
  const { exit, written, told, tools, text } = await connected(GRANT)
  expect(exit).toBe(0)
  expect(text).toContain(`${written.url}`)
  expect(written.url).toBe(`http://localhost:${new URL(hub.url).port}/mcp`)
  expect(tools).toEqual(['flow_project', 'web_search'])
  expect(told).toMatchObject({ connected: true, tools: ['web_search'] })
}, 90_000)

test('a member sees the tools of its role, told as they are listed', async () => {
  const { told, tools } = await connected(MEMBER)
  expect((told.tools as string[]).toSorted()).toEqual((tools as string[]).toSorted())
}, 90_000)

test('of an empty list the owner hears why, with counts; the client hears nothing of it', async () => {
  const shut = { ...OPEN_POLICY, external_agent: { ...OPEN_POLICY.external_agent, allowed_tools: [] } }
  const { told, tools } = await connected(GRANT, async () => {
    hub.write(hub.home.vaultPolicy('default'), shut)
  })
  hub.write(hub.home.vaultPolicy('default'), OPEN_POLICY)
  expect(tools).not.toContain('web_search')
  expect(told.tools).toEqual([])
  const allowlist = { filter: 'allowlist of the vault', before: 1, after: 0, detail: 'not on it: web_search' }
  expect(told.filters).toEqual([{ filter: 'granted', before: 1, after: 1, detail: 'web_search' }, allowlist])
  const logged = hub.logged.filter((line) => line.includes('a client is shown no granted tools'))
  expect(logged).toHaveLength(1)
  expect(JSON.parse(logged[0] as string).filters).toContainEqual(allowlist)
}, 90_000)
