import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTestHub } from '../../../../test/harness/test-hub.ts'
import { cliAt, temporaryFolder } from '../run-cli.fixture.ts'

const MINT = 'flow grant mint flow_research_brief --flow-version 0.1.0 --requested-tools echo'

/** A home whose vault has this policy. */
function homeWith(policy: string, vault = 'default'): { home: string; file: string } {
  const home = temporaryFolder()
  mkdirSync(join(home, 'vaults', vault), { recursive: true, mode: 0o700 })
  const file = join(home, 'vaults', vault, 'policy.yaml')
  writeFileSync(file, policy, { mode: 0o600 })
  return { home, file }
}

test('a hint names the file that has to be changed, in the vault that was asked', async () => {
  const { home, file } = homeWith('{}')
  expect((await cliAt(home)(MINT)).stderr).toContain(`Set external_agent.enabled in ${file}, or`)
  const { stderr } = await cliAt(home)(`${MINT} --vault other`)
  expect(stderr).toContain(join(home, 'vaults/other/policy.yaml'))
  const { hint } = JSON.parse((await cliAt(home)(`${MINT} --json`)).stdout)
  expect(hint).toContain(file)
})

test('where the file is damaged the hint tells the damage, not to set what may be set in it', async () => {
  const { home, file } = homeWith('external_agent:\n  enabled: maybe\n')
  const { stderr } = await cliAt(home)(MINT)
  expect(stderr).toContain(
    `Hint: The file is damaged, so nothing it could allow counts: ${file}: external_agent.enabled`,
  )
  expect(stderr).not.toContain('Set external_agent')
  const other = await cliAt(home)(`${MINT} --vault other`)
  expect(other.stderr).not.toContain('damaged')
  const unknown = await cliAt(home)('flow get flow_nope')
  expect(unknown.stderr).not.toContain('damaged')
})

test('how to use a new token or seat names the address at which the hub listens', async () => {
  await using hub = await startTestHub()
  const { port } = new URL(hub.url)
  expect(port).not.toBe('4747')
  const home = hub.options.home.folder
  const service = temporaryFolder()
  const at = `http://127.0.0.1:${port}`
  expect((await cliAt(home)('token create --role viewer')).stdout).toContain(`--url ${at} --vault`)
  const seat = await cliAt(home)(`tool session create --service ${service} --project ${service}`)
  expect(seat.stdout).toContain(`${at}/mcp`)
  expect(seat.stdout).not.toContain(':4747')
})

test('a hint of a hub that runs elsewhere names that hub', async () => {
  await using hub = await startTestHub({ env: {} })
  const token = hub.credentials.bearers.admin
  const { stderr } = await cliAt(temporaryFolder())(`${MINT} --url ${hub.url} --token ${token}`)
  if (stderr.includes('policy.yaml')) expect(stderr).toContain(`in the home of the hub at ${hub.url}`)
})

test('--json errors carry the code, the sentence and the hint, behind what the hub answers', async () => {
  const cli = cliAt(temporaryFolder())
  const refused = await cli('flow get flow_nope --json')
  expect(refused.stdout).toMatch(/^\{"error":"unknown_flow","code":"unknown_flow","message":/)
  expect(JSON.parse(refused.stdout)).toEqual({
    error: 'unknown_flow',
    code: 'unknown_flow',
    message: 'There is no such flow here.',
    hint: '`knowtation flow list` shows the flows you may see in this vault.',
  })
  const nested = JSON.parse((await cli('owner connection show conn_none --json')).stdout)
  expect(nested).toMatchObject({ error: { code: expect.any(String) }, hint: expect.any(String) })
  const wrong = JSON.parse((await cli('flow list --lmit 3 --json')).stdout)
  expect(wrong).toEqual({
    error: 'There is no flag --lmit.',
    code: 'USAGE_ERROR',
    message: 'There is no flag --lmit.',
    hint: 'Did you mean --limit? Run `knowtation flow list --help` to see what it takes.',
  })
})
