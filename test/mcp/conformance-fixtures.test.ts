import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allOperations } from '../../src/domains/index.ts'
import { buildRegistry } from '../../src/operations/registry.ts'
import { PACKAGE_FOLDER } from '../../src/platform/basics/package-folder.ts'
import { authenticator } from '../../src/platform/identity/authenticate.ts'
import { buildApp } from '../../src/surfaces/http/build-app.ts'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'
import { type BearerProxy, startBearerProxy } from './bearer-proxy.ts'
import {
  FIXTURES_2025,
  FIXTURES_2026_AT_2025_11_25,
  FIXTURES_2026_AT_2026_07_28,
} from './conformance-fixtures.ts'
import { CONFORMANCE_HOST } from './conformance-host.ts'
import { type Outcome, runServerSuite } from './conformance-run.ts'
import { outcomeOf } from './conformance-table.ts'

const RUNS = [
  ['suite of 2025', FIXTURES_2025, 'mcp-conformance-2025', undefined],
  ['suite of 2026 at 2025-11-25', FIXTURES_2026_AT_2025_11_25, 'mcp-conformance-2026', '2025-11-25'],
  ['suite of 2026 at 2026-07-28', FIXTURES_2026_AT_2026_07_28, 'mcp-conformance-2026', '2026-07-28'],
] as const

/**
 * The hub's own surface (Host and Origin, credentials, the door, the reader of bodies, the protocol) with the tools,
 * prompts and resources that the official suites want in the place of the hub's.
 */
describe.each(RUNS)('official conformance with fixtures, %s', (_name, expected, name, version) => {
  let hub: TestHub
  let app: FastifyInstance
  let proxy: BearerProxy
  let outcomes: Record<string, Outcome>

  beforeAll(async () => {
    hub = await startTestHub()
    const { db, system } = hub.hub
    const authenticate = authenticator({
      db,
      now: system.now,
      hubToken: () => undefined,
      verifyJwt: undefined,
    })
    app = buildApp(hub.hub, buildRegistry(allOperations), authenticate, { stopping: false }, CONFORMANCE_HOST)
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    proxy = await startBearerProxy(`${url}/mcp`, hub.credentials.bearers.viewer as string)
    const program = join(PACKAGE_FOLDER, 'node_modules', name, 'dist/index.js')
    outcomes = await runServerSuite(program, proxy.url, ...(version ? ['--spec-version', version] : []))
  }, 120_000)
  afterAll(async () => {
    await proxy.close()
    await app.close()
    await hub.close()
  })

  test('every scenario passes but those that are named, for the reasons that are named', () => {
    const others = Object.fromEntries(Object.entries(outcomes).filter(([, outcome]) => outcome !== 'pass'))
    const named = Object.entries(expected).map(([scenario, entry]) => [scenario, outcomeOf(entry)])
    expect(others).toEqual(Object.fromEntries(named))
  })

  test('the scenarios are all there', () => {
    expect(Object.keys(outcomes).length).toBeGreaterThanOrEqual(30)
  })
})
