import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PLAIN_NAMES, PLAIN_PREFIXES } from '../../src/platform/redaction/known/environment-names.ts'
import { verifies } from '../requirements/verifies.ts'
import { ROOT, readPage } from './run-guide.fixture.ts'

/** Of the client that `mcp config` writes a file for, not of the hub. */
const NOT_OURS = ['KNOWTATION_AUTHORIZATION']

/** Everything that a pattern finds in the sources, tests left out. */
function inSources(pattern: RegExp, folder = 'src'): string[] {
  const files = globSync(`${folder}/**/*.ts`, { cwd: ROOT }).filter(
    (file) => !/\.(test|fixture)\.ts$/.test(file),
  )
  const found = files.flatMap((file) => [...readFileSync(join(ROOT, file), 'utf8').matchAll(pattern)])
  return [...new Set(found.map(([, name = '']) => name))].toSorted()
}

test('the page of settings has every variable of the environment', () => {
  const page = readPage('docs/policy.md')
  const variables = inSources(
    /\b(KNOWTATION_[A-Z_]+|FLOW_[A-Z_]+_(?:ENABLED|WRITES)|FLOW_[A-Z]+(?:_AGENT)?_FORBIDDEN)\b/g,
  )
  expect(variables.length).toBeGreaterThan(15)
  const silent = variables.filter((name) => !NOT_OURS.includes(name) && !page.includes(`\`${name}\``))
  expect(silent).toEqual([])
})

test('the page of running has every metric, and no other', () => {
  const page = readPage('docs/running.md', 'Watch it')
  const metrics = inSources(/name: '(knowtation_[a-z_]+)'/g, 'src/surfaces/http')
  expect(metrics.length).toBeGreaterThan(2)
  const told = [...page.matchAll(/`(knowtation_[a-z_]+)`/g)].map(([, name]) => name)
  expect(told.toSorted()).toEqual(metrics)
})

test('the page of storage has every table', () => {
  const page = readPage('docs/storage.md', 'Tables')
  const tables = inSources(/\bCREATE TABLE (?:IF NOT EXISTS )?([a-z_]{4,})/g, 'src/platform/storage')
  expect(tables.length).toBeGreaterThan(30)
  expect(tables.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

verifies(
  'TOOL-128',
  'the page of redaction has every variable whose value stays readable, and no other',
  () => {
    const told = readPage('docs/redaction.md', 'What stays readable').split('\n')
    const line = told.find((one) => one.includes('where and how a process runs')) ?? ''
    const listed = [...line.matchAll(/`([^`]+)`/g)].map(([, name]) => name)
    expect(listed.toSorted()).toEqual(
      [...PLAIN_NAMES, ...PLAIN_PREFIXES.map((prefix) => `${prefix}*`)].toSorted(),
    )
  },
)
