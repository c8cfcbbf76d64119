import { expect, test } from 'vitest'
import { blocksOf, expectShown, readPage, runPage } from './run-guide.fixture.ts'

const PAGE = 'docs/running.md'

test('the guide to running a hub runs as written and answers as shown', async () => {
  const page = readPage(PAGE)
  expectShown(page, await runPage(page))
}, 120_000)

test('the unit starts the hub with flags that it has', () => {
  const [unit = ''] = blocksOf(readPage(PAGE), 'ini')
  expect(unit).toMatch(/^ExecStart=\S+ \S+\/bin\/knowtation\.js serve --log json$/m)
})

test('the unit runs no Node that an install script fetched past the hashes of the lockfile', () => {
  const [unit = ''] = blocksOf(readPage(PAGE), 'ini')
  expect(unit).toMatch(/^ExecStart=\/usr\/bin\/node /m)
  expect(unit).not.toContain('node_modules')
})
