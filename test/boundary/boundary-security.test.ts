import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { PACKAGE_FOLDER } from '../../src/platform/basics/package-folder.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { connectClient } from '../harness/call-mcp.ts'
import { DATABASES, type DatabaseName } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import {
  addEntry,
  ask,
  type BoundaryHub,
  inputOf,
  policyOf,
  run,
  startBoundaryHub,
  traceRun,
} from './boundary-hub.ts'
import { type EngineScripts, writeEngineScripts } from './engine-scripts.ts'
import { goodAnswer } from './probe-engine.ts'

let hub: BoundaryHub
let scripts: EngineScripts

function useHub(database: DatabaseName = 'sqlite'): void {
  beforeAll(async () => {
    scripts = writeEngineScripts()
    hub = await startBoundaryHub({ database, engines: scripts.engines, env: { HUB_SECRET_WORD: 'HUB-WORD' } })
  })
  afterAll(async () => {
    await hub.close()
    scripts[Symbol.dispose]()
  })
}

describe('a thief among the engines', () => {
  useHub()

  verifies('BNDY-051', 'gets nothing: no database, network, environment, file or other process', async () => {
    const { port } = new URL(hub.url)
    const postgres = new URL(inject('postgresUrl'))
    const constraints = {
      files: [
        hub.home.database,
        hub.home.hubToken,
        hub.home.auditKey,
        hub.home.vaultPolicy('default'),
        join(PACKAGE_FOLDER, 'package.json'),
        join(scripts.folder, 'good.py'),
        '/etc/shadow',
        '/etc/hostname',
        `/proc/${process.pid}/environ`,
      ],
      folders: [hub.home.folder, PACKAGE_FOLDER, homedir(), '/home', '/var', '/mnt', '/run'],
      writes: [hub.home.database, join(hub.home.folder, 'loot'), '/usr/loot', '/etc/loot'],
      hosts: [
        ['127.0.0.1', Number(port)],
        ['127.0.0.1', Number(postgres.port)],
        ['1.1.1.1', 53],
        ['169.254.169.254', 80],
      ],
    }
    for (const file of constraints.files.slice(0, 6)) expect([file, existsSync(file)]).toEqual([file, true])
    const { execution } = await traceRun(hub, inputOf({ constraints }), { engine: 'thief' })
    expect(execution.outcome).toMatchObject({ status: 'succeeded' })
    const [ledger_id] = execution.outcome.artifact_ledger_ids
    const got = (await ask(hub, 'ledger_show', { ledger_id })).body.entry.payload as Record<string, string>
    expect(Object.keys(JSON.parse(got.environment as string)).toSorted()).toEqual(
      ['HOME', 'LANG', 'PATH', 'PWD', 'TMPDIR'].toSorted(),
    )
    const refusable = Object.keys(got).filter((name) => /^(read|list|write|connect|resolve)/.test(name))
    expect(refusable).toHaveLength(9 + 7 + 4 + 4 + 1)
    const open = refusable.filter((name) => !got[name]?.startsWith('REFUSED'))
    expect(open.map((name) => `${name}: ${got[name]}`)).toEqual([])
    expect(got.scratch).toBe('WROTE')
    // Its own script is shown where it lies, in a folder that is otherwise empty and nobody else's.
    expect(got['scratch was empty']).toBe(basename(scripts.folder))
    expect(got.processes?.split(',').length).toBeLessThan(6)
    expect(JSON.stringify(got)).not.toMatch(/HUB-WORD|postgres:\/\/|KNOWTATION/)
    expect(existsSync(join(tmpdir(), 'notes'))).toBe(false)
  })

  verifies('BNDY-052', 'has no credential, and without one nothing is written', async () => {
    const entry = { tenant_id: 't-001', source: 'crm', type: 'signal', payload: {} }
    for (const [path, body] of [
      ['/api/v1/ledger/entries', entry],
      ['/api/v1/boundary/executions', { engine: 'probe', input: inputOf() }],
      [
        '/mcp',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'boundary_run', arguments: {} } },
      ],
    ] as const) {
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      const { status } = await fetch(`${hub.url}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      expect([path, [401, 403].includes(status)]).toEqual([path, true])
    }
    await run(hub, inputOf())
    const sent = hub.probe.calls.at(-1)
    expect(sent?.headers.authorization).toBeUndefined()
    expect(Object.keys(sent?.headers ?? {}).toSorted()).toEqual(
      'accept accept-encoding connection content-length content-type host webhook-id webhook-signature webhook-timestamp'.split(
        ' ',
      ),
    )
  })

  test('cannot be reached over MCP as the owner, nor as a tool that writes the ledger', async () => {
    const client = await connectClient(`${hub.url}/mcp`, hub.credentials.bearers.editor)
    const names = (await client.listTools()).tools.map(({ name }) => name)
    await client.close()
    expect(names).toEqual(expect.arrayContaining(['boundary_run', 'boundary_show', 'ledger_lineage']))
    expect(names.filter((name) => /ledger_(append|export|verify)|dead_letter/.test(name))).toEqual([])
    const asViewer = { as: 'viewer', way: 'mcp' } as const
    const refused = ask(hub, 'boundary_run', { engine: 'probe', input: inputOf() }, asViewer)
    await expect(refused).rejects.toThrow('not found')
    const overMcp = await run(hub, inputOf(), {}, { way: 'mcp' })
    expect(overMcp.body.execution.state).toBe('succeeded')
  })
})

describe.each(DATABASES)('a snapshot on %s', (database) => {
  useHub(database)
  const WORD = 'SNAPSHOT-SENTINEL'

  verifies(
    'BNDY-056',
    'is in no log, error, audit record or other tenant’s data, however its execution ends',
    async () => {
      const intelligenceSnapshot = { [`key ${WORD}`]: WORD, deep: [{ WORD }] }
      const secretly = (changes: object = {}) => inputOf({ intelligenceSnapshot, ...changes })
      const answers = [
        goodAnswer,
        (input: object) => JSON.stringify(input),
        () => ({ ok: false, executionId: WORD, status: WORD }),
        (input: any) => ({
          ...goodAnswer(input),
          ok: false,
          status: 'failed',
          error: { code: 'VALIDATION_ERROR', message: WORD, retryable: true },
        }),
      ]
      const texts: string[] = []
      for (const answer of answers) {
        hub.probe.answer = answer as typeof goodAnswer
        texts.push((await run(hub, secretly())).text)
      }
      hub.probe.answer = goodAnswer
      for (const engine of ['crashed', 'shouting', 'slow', 'hung']) await run(hub, secretly(), { engine })
      await run(hub, secretly({ attempt: 0 }))
      await run(hub, secretly({ runMode: 'execute', coherenceStatus: 'stale' }))
      await run(hub, secretly(), { engine: 'nope' })
      await addEntry(hub, `led-of-another-${database}`, 't-002')
      const audit = await hub.hub.db.all(sql<object>('SELECT * FROM audit_records'))
      const ledger = await hub.hub.db.all(sql<object>('SELECT * FROM ledger_entries'))
      const executions = await hub.hub.db.all(
        sql<object>('SELECT facts_json, progress_json, input_json FROM boundary_executions'),
      )
      expect([audit.length, ledger.length, executions.length].every((count) => count > 4)).toBe(true)
      expect(JSON.stringify([audit, ledger, executions])).not.toContain(WORD)
      expect(hub.logged.join('')).not.toContain(WORD)
      // The engine's own words stand in the record of its execution, and nowhere else.
      expect(texts.map((text) => text.includes(WORD))).toEqual([false, false, false, true])
      expect(JSON.parse(texts[3] ?? '').execution.outcome.error.message).not.toContain(WORD)
    },
    60_000,
  )

  test('is not left behind in the home once its execution has ended', async () => {
    if (database !== 'sqlite') return
    await hub.hub.db.transaction(async () => {})
    const files = readdirSync(hub.home.folder, { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    )
    const names = files
      .filter(({ name }) => !name.startsWith('knowtation.db'))
      .map(({ parentPath, name }) => join(parentPath, name))
    for (const name of names) expect(readFileSync(name, 'latin1')).not.toContain(WORD)
  })
})

describe('who may use an engine', () => {
  useHub()

  test('is for the policy to say: other tenants and robots hear that there is none', async () => {
    const probe = { kind: 'http', url: hub.probe.url, secret: 'env:ENGINE_SECRET' }
    const closed = { tenants: { ...probe, tenants: ['t-002'] }, robots: { ...probe, robots: ['r-002'] } }
    hub.write(hub.home.vaultPolicy('default'), policyOf(hub.probe, closed))
    const texts = new Set<string>()
    for (const engine of ['tenants', 'robots', 'nope', 'constructor']) {
      const { told, called } = await traceRun(hub, inputOf(), { engine })
      expect([told.status, told.code, called]).toEqual([404, 'unknown_engine', 0])
      texts.add(told.text)
    }
    expect(texts.size).toBe(1)
    expect((await traceRun(hub, inputOf({ robotId: 'r-002' }), { engine: 'robots' })).execution.state).toBe(
      'succeeded',
    )
  })

  test.each([
    ['an unknown key', { engines: { probe: { kind: 'command', command: ['x'], network: true } } }],
    ['an unknown kind', { engines: { probe: { kind: 'docker', command: ['x'] } } }],
    [
      'a secret in the clear',
      { engines: { probe: { kind: 'http', url: 'https://a.test/', secret: 'hunter2' } } },
    ],
    [
      'clear text over a network',
      { engines: { probe: { kind: 'http', url: 'http://a.test/', secret: 'env:A' } } },
    ],
    [
      'a password in the address',
      { engines: { probe: { kind: 'http', url: 'https://a:b@a.test/', secret: 'env:A' } } },
    ],
    ['a relative path to read', { engines: { probe: { kind: 'command', command: ['x'], read: ['../..'] } } }],
    ['no command', { engines: { probe: { kind: 'command', command: [] } } }],
    ['a name of another form', { engines: { 'Pro be': { kind: 'command', command: ['x'] } } }],
    ['text', 'engines: [broken'],
  ])('is nobody while the policy is damaged by %s', async (_what, policy) => {
    hub.write(hub.home.vaultPolicy('default'), policy)
    expect((await ask(hub, 'boundary_engines')).body.engines).toEqual([])
    expect((await traceRun(hub, inputOf())).told.code).toBe('unknown_engine')
  })

  test('cannot see, run or cancel what is in another vault', async () => {
    hub.write(hub.home.vaultPolicy('default'), policyOf(hub.probe))
    hub.write(hub.home.vaultPolicy('other'), policyOf(hub.probe))
    const { run_id } = (await run(hub, inputOf())).body.execution
    const there = { as: 'hub', vault: 'other' } as const
    for (const [name, input] of [
      ['boundary_show', { run_id }],
      ['boundary_cancel', { run_id }],
      ['ledger_show', { ledger_id: 'led-100' }],
      ['ledger_lineage', { ledger_id: 'led-100' }],
    ] as const) {
      const [missing, foreign] = [
        await ask(hub, name, input, there),
        await ask(hub, name, input, { ...there, vault: 'third' }),
      ]
      expect([missing.status, missing.text]).toEqual([404, foreign.text])
    }
    expect((await run(hub, inputOf(), {}, there)).code).toBe('MISSING_LINEAGE')
    expect((await ask(hub, 'ledger_list', {}, there)).body.entries).toEqual([])
  })
})
