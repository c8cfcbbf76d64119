import { expect, test } from 'vitest'
import { expectShown, readPage, runPage } from './run-guide.fixture.ts'

test('the guide to external engines runs as written', async () => {
  const output = await runPage(readPage('docs/boundary.md'))
  const told = [
    'site-planner',
    'objective  plan site_plan',
    'objective  draft seo_cluster',
    'state      succeeded (nothing was changed by asking)',
    'What came of it:',
    'The ledger is intact: 6 entries of 1 tenant.',
    'The exported ledger is intact: 6 entries from the first on.',
  ]
  for (const text of told) expect(output).toContain(text)
  expect(output.match(/^Error/gm)).toBeNull()
}, 120_000)

test('the sample engines run as their page says', async () => {
  const output = await runPage(readPage('engines/README.md'))
  expect(output.match(/The exchange is valid\./g)).toHaveLength(2)
  expect(output.match(/^Error/gm)).toBeNull()
}, 60_000)

test("the engines' part of the README runs as written and answers as shown", async () => {
  const page = readPage('README.md', 'Engines that cannot reach out')
  expect(page.match(/^The exchange is valid\.$/gm)).toHaveLength(2)
  const output = await runPage(page)
  expectShown(page, output)
  expect(output.match(/^The exchange is valid\.$/gm)).toHaveLength(2)
}, 60_000)
