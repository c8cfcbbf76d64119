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

test('the description has no problem that the recommended rules of OpenAPI find', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lint({ ref: join(ROOT, 'openapi.json'), config })
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
})

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
