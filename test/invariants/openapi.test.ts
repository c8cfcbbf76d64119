import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lint } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import { openApiDocument } from '../../src/surfaces/openapi/openapi-document.ts'
import { renderOperationsPage } from '../../src/surfaces/openapi/operations-page.ts'
import { registry } from '../harness/call.ts'
import { startTestHub } from '../harness/test-hub.ts'

const ROOT = join(import.meta.dirname, '../..')

test('the committed description is the generated one', () => {
  const committed = readFileSync(join(ROOT, 'openapi.json'), 'utf8')
  expect(committed).toBe(`${JSON.stringify(openApiDocument(registry), null, 2)}\n`)
})

test('the committed page of operations is the generated one', () => {
  expect(readFileSync(join(ROOT, 'docs/operations.md'), 'utf8')).toBe(renderOperationsPage(registry))
})

/**
 * The contract itself gives these paths. They cannot meet: a flow's id begins with `flow_`, so no flow is
 * called `external-grants`, and such an id is a bad request; nor is a connection called `intents`.
 */
const GIVEN_BY_CONTRACT = [
  'no-ambiguous-paths: `/api/v1/flows/{id}/projection` and `/api/v1/flows/external-grants/{grant_id}`',
  'no-ambiguous-paths: `/api/v1/flows/external-grants/{grant_id}` and `/api/v1/flows/{id}/runs`',
  'no-ambiguous-paths: `/v1/owner/connections/{connection_id}/revoke` and `/v1/owner/connections/intents/{intent_id}`',
  ...['run', 'runs', 'schedule', 'streams'].map(
    (part) =>
      `no-ambiguous-paths: \`/v1/owner/connections/intents/{intent_id}\` and \`/v1/owner/connections/{connection_id}/${part}\``,
  ),
]

test('the description has no problem by the recommended rules of OpenAPI but those of the contract', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lint({ ref: join(ROOT, 'openapi.json'), config })
  const found = problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)
  expect(found.map(shortened)).toEqual(GIVEN_BY_CONTRACT)
})

/** Without the words that every problem of its kind has. */
function shortened(problem: string): string {
  return problem
    .replace('Paths should resolve unambiguously. Found two ambiguous paths: ', '')
    .replace(/\.$/, '')
}

test('the linter would find one', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lint({ ref: join(import.meta.dirname, 'bad-openapi.json'), config })
  expect(problems.length).toBeGreaterThan(0)
})

test('the hub serves the same description', async () => {
  await using hub = await startTestHub()
  const response = await fetch(`${hub.url}/openapi.json`)
  expect(await response.json()).toEqual(openApiDocument(registry))
})
