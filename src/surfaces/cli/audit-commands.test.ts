import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cliAt, temporaryFolder } from './run-cli.fixture.ts'

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
