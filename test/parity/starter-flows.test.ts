import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { PACKAGE_FOLDER } from '../../src/platform/basics/package-folder.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { call, requireOperation, type Way } from '../harness/call.ts'
import { DATABASES, startTestHub, storeFlows, type TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { bundleOf } from './sample-flows.ts'

const STARTERS = join(PACKAGE_FOLDER, 'flows', 'starter')
const countRows = sql<{ rows: number }>('SELECT COUNT(*) AS rows FROM flow_versions WHERE vault_id = ?')

async function listIds(hub: TestHub, vault: string, way: Way = 'rest'): Promise<string[]> {
  const { text } = await call(hub, way, {
    operation: requireOperation('flow_list'),
    input: {},
    as: 'hub',
    vault,
  })
  return (JSON.parse(text).flows as { flow_id: string }[]).map((flow) => flow.flow_id).toSorted()
}

async function countVersions({ hub }: TestHub, vault: string): Promise<number> {
  return Number((await hub.db.get(countRows, vault))?.rows)
}

describe.each(DATABASES)('starter flows on %s', (database) => {
  let folder: string
  let hub: TestHub
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'knowtation-starters-'))
    cpSync(STARTERS, folder, { recursive: true })
    hub = await startTestHub({ database, starters: folder })
  })
  afterAll(async () => {
    await hub.close()
    rmSync(folder, { recursive: true, force: true })
  })

  verifies('FLOW-020', 'come with the first read, beside what a vault already holds, and once', async () => {
    await storeFlows(hub.hub, 'own', [
      bundleOf('flow_mine'),
      bundleOf('flow_research_brief', { version: '9.0.0' }),
    ])
    expect(await countVersions(hub, 'own')).toBe(2)
    const listed = await listIds(hub, 'own')
    expect(listed).toHaveLength(7)
    expect(listed).toContain('flow_mine')
    expect(await countVersions(hub, 'own')).toBe(8)
    for (const way of ['rest', 'mcp', 'cli', 'home', 'direct'] as const)
      expect(await listIds(hub, 'own', way)).toEqual(listed)
    expect(await countVersions(hub, 'own')).toBe(8)
  })

  verifies('FLOW-020', 'come once also when many read first at the same time', async () => {
    const ways = Array.from({ length: 12 }, (_, at) => (['rest', 'home'] as const)[at % 2] as Way)
    const lists = await Promise.all(ways.map((way) => listIds(hub, 'rush', way)))
    expect(new Set(lists.map(String)).size).toBe(1)
    expect(await countVersions(hub, 'rush')).toBe(6)
  })

  verifies('FLOW-020', 'that a vault already has stay as they are there', async () => {
    await storeFlows(hub.hub, 'kept', [
      bundleOf('flow_research_brief', { version: '0.1.0', title: 'My own words' }),
    ])
    await listIds(hub, 'kept')
    const operation = requireOperation('flow_get')
    const { text } = await call(hub, 'rest', {
      operation,
      input: { flow_id: 'flow_research_brief' },
      as: 'hub',
      vault: 'kept',
    })
    expect(JSON.parse(text).flow.title).toBe('My own words')
    expect(await countVersions(hub, 'kept')).toBe(6)
  })

  verifies('FLOW-021', 'with a fault are left out whole and named in the log; the others come', async () => {
    const [first = '', second = ''] = readdirSync(folder).toSorted()
    const whole = readFileSync(join(folder, first))
    writeFileSync(join(folder, first), '{"flow":{},"steps":[]}')
    expect(await listIds(hub, 'faulty')).toHaveLength(5)
    expect(
      hub.logged.filter((line) => line.includes(first) && line.includes('starter flow rejected')),
    ).toHaveLength(1)
    // Once it is mended, the next program that reads the vault brings it.
    writeFileSync(join(folder, first), whole)
    expect(await listIds(hub, 'faulty', 'home')).toHaveLength(6)
    writeFileSync(join(folder, first), '{"flow":{},"steps":[]}')
    writeFileSync(join(folder, second), 'not JSON')
    expect(await listIds(hub, 'worse')).toHaveLength(4)
    expect(hub.logged.some((line) => line.includes(second) && line.includes('starter flow rejected'))).toBe(
      true,
    )
  })
})
