import { expect, test } from 'vitest'
import { expectShown, readPage, runPage } from './run-guide.fixture.ts'

/** Besides what the page shows: refusals that it leads into on purpose, each once. */
const REFUSED = ['run_not_active', 'connector_instance_inactive', 'connector_instance_not_found']

test('the guide to the owner and what is collected runs as written and answers as shown', async () => {
  const page = readPage('docs/owner.md')
  const output = await runPage(page)
  expectShown(page, output)
  for (const text of [
    /client name +Night shift/,
    /Approved: oagt_[0-9a-f]{16}, until/,
    /state +completed/,
    /state +revoked/,
    /run\.cancelled|cancelled: owner_cancelled/,
  ])
    expect(output).toMatch(text)
  expect([...output.matchAll(/^Error \((\w+)\)/gm)].map(([, code]) => code)).toEqual(REFUSED)
  for (const secret of [/kown_/, /whsec_/, /command not found/]) expect(output).not.toMatch(secret)
}, 300_000)

test("the README's tour of connections runs as written and answers as shown", async () => {
  const page = readPage('README.md', 'Collect what is yours')
  const output = await runPage(page)
  expectShown(page, output)
  expect(output).not.toMatch(/^Error|command not found/m)
}, 120_000)
