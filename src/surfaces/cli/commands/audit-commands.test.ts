import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { cliAt, temporaryFolder } from '../run-cli.fixture.ts'

test('an exported log is verified without its hub, and a change in it is found', async () => {
  const folder = temporaryFolder()
  const cli = cliAt(join(folder, 'home'))
  const file = join(folder, 'audit.jsonl')
  for (let calls = 0; calls < 3; calls++) await cli('whoami')
  expect((await cli(['audit', 'export', '--out', file])).exit).toBe(0)
  expect((await cli('audit verify')).stdout).toMatch(/^The audit log is intact: \d+ records/)
  const elsewhere = cliAt(join(folder, 'none'))
  expect((await elsewhere(['audit', 'verify', '--file', file])).exit).toBe(0)
  writeFileSync(file, readFileSync(file, 'utf8').replace('"whoami"', '"flow_list"'))
  const { exit, stdout } = await elsewhere(['audit', 'verify', '--file', file])
  expect(exit).toBe(1)
  expect(stdout).toContain('not intact')
})

test('pages of an export make one file; a page left out or moved is found', async () => {
  const folder = temporaryFolder()
  const cli = cliAt(join(folder, 'home'))
  const file = join(folder, 'audit.jsonl')
  for (let calls = 0; calls < 6; calls++) await cli('whoami')
  const page = async (after: number) =>
    (await cli(['audit', 'export', '--limit', '2', '--after-seq', String(after)])).stdout
  const pages = [await page(0), await page(2), await page(4)]
  const verify = async (parts: readonly (string | undefined)[]) => {
    writeFileSync(file, parts.join(''))
    const { stdout } = await cli(['audit', 'verify', '--json', '--file', file])
    return JSON.parse(stdout) as { intact: boolean; records: number; anchored: boolean }
  }
  expect(await verify(pages)).toMatchObject({ intact: true, records: 6, anchored: true })
  expect(await verify([pages[0], pages[2]])).toMatchObject({ intact: false })
  expect(await verify([pages[1], pages[0]])).toMatchObject({ intact: false })
  expect(await verify([pages[1]])).toMatchObject({ intact: true, anchored: false })
  expect(await verify([])).toMatchObject({ intact: false })
})

test('the list is narrowed by each thing that a record names', async () => {
  const cli = cliAt(temporaryFolder())
  await cli('whoami')
  const found = async (...flags: string[]) => {
    const { exit, stdout } = await cli(['audit', 'list', '--operation', 'whoami', ...flags, '--json'])
    return [exit, (JSON.parse(stdout) as { records: unknown[] }).records.length]
  }
  expect(await found('--caller', 'local', '--since', '2026-01-01T00:00:00Z')).toEqual([0, 1])
  for (const flag of ['--caller', '--grant', '--flow', '--tool', '--target', '--request-id'])
    expect([flag, ...(await found(flag, 'nobody'))]).toEqual([flag, 0, 0])
  expect(await found('--until', '2026-01-01T00:00:00Z')).toEqual([0, 0])
})

/** A line of the list that says what was done and how it ended, and nothing after it. */
const said = (operation: string, outcome: string) =>
  expect.stringMatching(new RegExp(`^\\d+ +\\S+ \\S+Z +${operation} +${outcome}$`))

test('on a narrow terminal a record keeps what was done, how it ended and who did it', async () => {
  const cli = cliAt(temporaryFolder())
  const { token } = JSON.parse((await cli('token create --role viewer --json')).stdout)
  await cli(['token', 'revoke', token.token_id])
  await cli('flow grant mint flow_research_brief --flow-version 0.1.0 --requested-tools echo')
  await cli('owner schedule pause conn_0123456789abcdef01234567')
  const lines = async (columns: number) => {
    const io = { isTerminal: columns < 1_000, columns }
    return stripVTControlCharacters((await cli('audit list', io)).stdout)
      .trimEnd()
      .split('\n')
  }
  const narrow = await lines(80)
  expect(Math.max(...narrow.map((line) => line.length))).toBeLessThanOrEqual(80)
  // Only the target of a sealed event, an id with its hash, is longer than any line.
  expect(narrow.filter((line) => line.includes('…'))).toEqual([expect.stringMatching(/^ +oev_[0-9a-f]{24}:/)])
  expect(narrow.slice(0, 2).map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['SEQ', 'AT', 'OPERATION', 'OUTCOME'],
    ['TARGET · CALLER · VIA'],
  ])
  expect(narrow).toContainEqual(said('owner_connection_schedule_pause', 'connector_instance_not_found'))
  expect(narrow).toContainEqual(said('flow_external_grant_mint', 'FLOW_\\w+'))
  const at = narrow.findIndex((line) => / token_revoke +allowed$/.test(line))
  expect(narrow[at + 1]?.trim()).toBe(`${token.token_id} · local local · cli/knowtation`)
  const wide = await lines(200)
  expect(wide).toHaveLength(7)
  expect(wide[0]).toMatch(/^SEQ +AT +OPERATION +TARGET +OUTCOME +CALLER +VIA$/)
  expect(await lines(Number.POSITIVE_INFINITY)).toHaveLength(8)
})
