import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PACKAGE_FOLDER } from '../../src/platform/basics/package-folder.ts'
import {
  CLIENT_2025,
  CLIENT_2026_AT_2025_11_25,
  CLIENT_2026_AT_2026_07_28,
} from './conformance-client-table.ts'
import { type Outcome, runClientSuite } from './conformance-run.ts'
import { type Expected, outcomeOf } from './conformance-table.ts'
import { startUpstreamUser } from './conformance-upstream.ts'

const AT_2025 = ['--spec-version', '2025-11-25']
const AT_2026 = ['--spec-version', '2026-07-28']
const RUNS: [string, Record<string, Expected>, string, string[]][] = [
  ['suite of 2025', CLIENT_2025, 'mcp-conformance-2025', []],
  ['suite of 2026 at 2025-11-25', CLIENT_2026_AT_2025_11_25, 'mcp-conformance-2026', AT_2025],
  ['suite of 2026 at 2026-07-28', CLIENT_2026_AT_2026_07_28, 'mcp-conformance-2026', AT_2026],
]
const PROGRAM = join(import.meta.dirname, 'conformance-client-program.mjs')

let user: Awaited<ReturnType<typeof startUpstreamUser>>
beforeAll(async () => void (user = await startUpstreamUser()), 120_000)
afterAll(() => user.close())

describe.each(RUNS)(
  'the hub as a client of MCP servers, in the official %s',
  (_name, expected, name, options) => {
    let outcomes: Record<string, Outcome>
    beforeAll(async () => {
      const program = join(PACKAGE_FOLDER, 'node_modules', name, 'dist/index.js')
      outcomes = await runClientSuite(program, `${process.execPath} ${PROGRAM} ${user.url}`, ...options)
    }, 360_000)

    test('runs exactly the scenarios of the table', () => {
      expect(Object.keys(outcomes).toSorted()).toEqual(Object.keys(expected).toSorted())
    })

    test.each(Object.entries(expected))('%s', (scenario, entry) => {
      expect(outcomes[scenario]).toEqual(outcomeOf(entry))
    })
  },
)
