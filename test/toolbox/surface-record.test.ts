import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../src/domains/toolbox/define-tool.ts'
import { TOOL_ROLES } from '../../src/domains/toolbox/tool-context.ts'
import { openHub } from '../../src/operations/hub.ts'
import { listEvents } from '../../src/platform/alerts/event-store.ts'
import { homeAt } from '../../src/platform/basics/home.ts'
import { realSystem } from '../../src/platform/basics/system.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { runInProcess } from '../harness/call-cli.ts'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { auditRecords } from '../rest/rest-hub.fixture.ts'
import { smallDisk } from '../store/small-disk.ts'
import { callDirectly, startToolHub, type ToolHub } from './surface-hub.fixture.ts'

const SYSTEM_CALLS: Readonly<Record<string, object>> = {
  install_package: { manager: 'pip', package: 'x', version: '1' },
  verify_binary: { binary_name: 'git' },
  system_ctl: { service: 'nothing.service', action: 'status' },
  migrate_config: { target_version: 99 },
}

let tools: ToolHub
beforeAll(async () => {
  tools = await startToolHub()
})
afterAll(() => tools[Symbol.asyncDispose]())

async function eventsOf(agent_id: string): Promise<any[]> {
  return (await tools.owner('GET', `/api/v1/toolbox/violations?agent_id=${agent_id}`)).violations
}

describe('the security stream', () => {
  verifies(
    ['TOOL-121', 'TOOL-032'],
    'has every call of a system tool, allowed or not, as CRITICAL',
    async () => {
      for (const role of ['sre', 'dev', 'release_manager', 'product_owner']) {
        for (const [tool, args] of Object.entries(SYSTEM_CALLS)) {
          const agent_id = `${role}-${tool}`
          const code = await tools.codeOf('rest', tool, args, { role, agent_id })
          expect(code === 'PermissionDenied', agent_id).toBe(role !== 'sre')
          const events = await eventsOf(agent_id)
          expect(events, agent_id).toHaveLength(1)
          expect(events[0]).toMatchObject({ agent_id, severity: 'CRITICAL' })
        }
      }
      expect(await tools.codeOf('rest', 'verify_binary', { binary_name: 'git' }, { role: 'sre' })).toBe(
        'success',
      )
    },
  )

  verifies(['TOOL-121', 'TOOL-005'], 'has a system call with wrong arguments too', async () => {
    const at = { role: 'sre', agent_id: 'clumsy' }
    expect(await tools.codeOf('rest', 'verify_binary', { name: 'git' }, at)).toBe('ValidationError')
    expect(await eventsOf('clumsy')).toMatchObject([
      { severity: 'CRITICAL', command_args: ['verify_binary'] },
    ])
  })

  verifies(
    ['TOOL-032', 'TOOL-027'],
    'has what high roles do, also when it succeeds, and not what they read',
    async () => {
      const manager = { role: 'release_manager', agent_id: 'manager' }
      const push = await tools.call('rest', 'git_push', { remote: 'origin', branch: 'main' }, manager)
      expect(push.data).toMatchObject({ dry_run: true })
      expect(await tools.codeOf('rest', 'read_file', { path: 'docs/a.md' }, manager)).toBe('success')
      expect(await tools.codeOf('rest', 'write_file', { path: 'm.txt', content: 'm' }, manager)).toBe(
        'success',
      )
      const events = await eventsOf('manager')
      expect(events.map(({ command_args, severity }) => `${command_args[0]} ${severity}`)).toEqual([
        'write_file CRITICAL',
        'git_push CRITICAL',
      ])
      expect(
        await tools.codeOf('rest', 'write_file', { path: 'd.txt', content: 'd' }, { agent_id: 'plain' }),
      ).toBe('success')
      expect(await eventsOf('plain')).toEqual([])
    },
  )

  verifies(
    ['TOOL-130', 'TOOL-079'],
    'has one event with the five fields for each kind of denial',
    async () => {
      const at = { agent_id: 'denied', allowed_commands: ['pytest'] }
      await tools.call('mcp', 'read_file', { path: '../other/x.txt' }, at)
      await tools.call('mcp', 'run_test', { target: 'src/main.mjs' }, at)
      const [second, first, ...more] = await eventsOf('denied')
      expect(more).toEqual([])
      expect(first).toEqual({
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        agent_id: 'denied',
        violation_type: 'scope_outside',
        target_path: '../other/x.txt',
        command_args: ['read_file', 'max_bytes=102400'],
        severity: 'WARNING',
      })
      expect(second).toEqual({
        timestamp: expect.any(String),
        agent_id: 'denied',
        violation_type: 'command_whitelist',
        target_path: 'src/main.mjs',
        command_args: ['node', 'src/main.mjs'],
        severity: 'WARNING',
      })
    },
  )
})

describe('before a tool acts', () => {
  const found: object[] = []
  const witness = defineTool({
    name: 'witness_tool',
    description: 'Looks at what is on record while it is carried out.',
    effect: 'update',
    roles: TOOL_ROLES,
    input: z.strictObject({}),
    output: z.strictObject({}),
    async handle({ hub, context }) {
      const records = await hub.db.all(
        sql<{ outcome: string }>("SELECT outcome FROM audit_records WHERE operation = 'witness_tool'"),
      )
      const { agent_id } = context
      const { events } = await listEvents(hub.db, { vault_id: 'default', agent_id, limit: 9 })
      found.push({ records, events: events.map(({ violation_type }) => violation_type) })
      throw new Error('and then it fails')
    },
  })

  verifies(
    'TOOL-032',
    'its record and its event are written, and a failure adds a second record',
    async () => {
      await callDirectly(tools, witness, {}, { role: 'sre', agent_id: 'witnessed' })
      expect(found).toEqual([{ records: [{ outcome: 'allowed' }], events: ['critical_action'] }])
      const records = (await auditRecords(tools.hub)).filter(({ operation }) => operation === 'witness_tool')
      expect(records.map(({ outcome, code }) => [outcome, code])).toEqual([
        ['allowed', null],
        ['failed', 'RUNTIME_ERROR'],
      ])
    },
  )

  test('what cannot be recorded is not done: a full disk changes no file', async () => {
    const disk = smallDisk('6m')
    const log = pino({ level: 'silent' })
    const home = homeAt(join(disk.folder, 'home'), {})
    const hub = await openHub({ home, env: {}, system: realSystem, log })
    const at = { hub: { hub } as TestHub, seat: tools.seat }
    const file = join(tools.project.service, 'full.txt')
    try {
      disk.fill()
      let [written, refused] = ['', 0]
      for (let turn = 0; turn < 400 && refused < 5; turn++) {
        const args = { path: 'full.txt', content: `turn ${turn}` }
        const { ok, status, text } = await callDirectly(at, 'write_file', args, { role: 'sre' })
        if (ok) written = args.content
        else {
          expect([status, JSON.parse(text).error.code]).toEqual([503, 'StorageUnavailable'])
          refused++
        }
        if (written !== '') expect(readFileSync(file, 'utf8')).toBe(written)
      }
      expect(refused).toBe(5)
    } finally {
      disk.free()
      await hub.close()
    }
  })

  test('nor is anything read when the store is gone', async () => {
    const hub = await startTestHub()
    const before = tools.project.fingerprint()
    await hub.hub.db.close()
    for (const [tool, args] of [
      ['read_file', { path: 'docs/a.md' }],
      ['write_file', { path: 'docs/a.md', content: 'x' }],
      ['verify_binary', { binary_name: 'git' }],
    ] as const) {
      const { status, text } = await callDirectly({ hub, seat: tools.seat }, tool, args, { role: 'sre' })
      expect([status, JSON.parse(text).error.code]).toEqual([503, 'StorageUnavailable'])
      expect(text).not.toContain('# A')
    }
    expect(tools.project.fingerprint()).toBe(before)
    await hub.close()
  })
})

describe('the stream and all else of the hub', () => {
  verifies('TOOL-131', 'are out of reach even where the home lies in the service', async () => {
    const home = join(tools.project.service, 'hub')
    const env = { ...tools.hub.options.env, KNOWTATION_HOME: home }
    const call = async (tool: string, args: object) => {
      const place = ['--project', tools.project.root, '--service', 'services/web', '--json']
      const { stdout } = await runInProcess(
        ['tool', 'call', tool, '--args', JSON.stringify(args), ...place],
        env,
      )
      return JSON.parse(stdout)
    }
    await call('read_file', { path: '../other/x.txt' })
    for (const path of [
      'hub/knowtation.db',
      'hub',
      'hub/audit-key',
      'src/../hub/knowtation.db',
      join(home, 'x'),
    ]) {
      expect((await call('read_file', { path })).error.code, path).toBe('SecurityError')
      expect((await call('delete_file', { path })).error.code, path).toBe('SecurityError')
      expect((await call('write_file', { path, content: 'x' })).error.code, path).toBe('SecurityError')
      expect((await call('search_file', { path, regex: 'scope', recursive: true })).error.code).toBe(
        'SecurityError',
      )
      expect((await call('list_files', { path })).error.code, path).toBe('SecurityError')
    }
    const listed = await call('list_files', { path: '.', recursive: true })
    expect(listed.data.files.filter((path: string) => path.startsWith('hub'))).toEqual([])
    const found = await call('search_file', { path: '.', regex: 'scope_outside|SQLite', recursive: true })
    expect(found.data.matches).toEqual([])
  })
})
