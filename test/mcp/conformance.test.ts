import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PACKAGE_FOLDER } from '../../src/platform/basics/package-folder.ts'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'
import { type BearerProxy, startBearerProxy } from './bearer-proxy.ts'
import { type Outcome, runServerSuite } from './conformance-run.ts'
import {
  type Expected,
  outcomeOf,
  SUITE_2025,
  SUITE_2026_AT_2025_11_25,
  SUITE_2026_AT_2026_07_28,
} from './conformance-table.ts'

const RUNS: [string, Record<string, Expected>, string, ...string[]][] = [
  ['suite of 2025', SUITE_2025, 'mcp-conformance-2025'],
  [
    'suite of 2026 at 2025-11-25',
    SUITE_2026_AT_2025_11_25,
    'mcp-conformance-2026',
    '--spec-version',
    '2025-11-25',
  ],
  [
    'suite of 2026 at 2026-07-28',
    SUITE_2026_AT_2026_07_28,
    'mcp-conformance-2026',
    '--spec-version',
    '2026-07-28',
  ],
]

describe.each(RUNS)('official conformance %s', (_name, expected, name, ...options) => {
  let hub: TestHub
  let proxy: BearerProxy
  let outcomes: Record<string, Outcome>

  beforeAll(async () => {
    hub = await startTestHub()
    proxy = await startBearerProxy(`${hub.url}/mcp`, hub.credentials.bearers.viewer as string)
    const program = join(PACKAGE_FOLDER, 'node_modules', name, 'dist/index.js')
    outcomes = await runServerSuite(program, proxy.url, ...options)
  }, 120_000)
  afterAll(async () => {
    await proxy.close()
    await hub.close()
  })

  test('runs exactly the scenarios of the table', () => {
    expect(Object.keys(outcomes).toSorted()).toEqual(Object.keys(expected).toSorted())
  })

  test.each(Object.entries(expected))('%s', (scenario, entry) => {
    expect(outcomes[scenario]).toEqual(outcomeOf(entry))
  })
})
