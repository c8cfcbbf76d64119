import { test } from 'vitest'
import { expectShown, readPage, runPage } from './run-guide.fixture.ts'

const PAGE = 'docs/running.md'

test('the guide to running a hub runs as written and answers as shown', async () => {
  const page = readPage(PAGE)
  expectShown(page, await runPage(page))
}, 120_000)
