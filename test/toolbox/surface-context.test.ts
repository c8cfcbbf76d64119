import { statSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../src/domains/toolbox/define-tool.ts'
import { TOOL_ROLES, type ToolContext } from '../../src/domains/toolbox/tool-context.ts'
import type { ToolboxSeat } from '../../src/platform/identity/caller.ts'
import type { Invocation } from '../../src/surfaces/cli/command.ts'
import { seatCaller } from '../../src/surfaces/cli/line/seat-flags.ts'
import { runInProcess } from '../harness/call-cli.ts'
import { verifies } from '../requirements/verifies.ts'
import { serveMore } from './surface-app.fixture.ts'
import {
  callDirectly,
  registry,
  type SeatChanges,
  sendJson,
  startToolHub,
  type ToolHub,
  toolNames,
  WAYS,
} from './surface-hub.fixture.ts'
import { NODE_TOOLCHAIN } from './surface-project.fixture.ts'

/** What the engine alone says of a call. */
const CONTEXT_KEYS =
  'project_root service_root isolation_level allowed_commands access_token volume_id role agent_id'.split(' ')

let tools: ToolHub
const seen: ToolContext[] = []
const probe = defineTool({
  name: 'probe_tool',
  description: 'Keeps the context that it is called with, for a test to look at.',
  effect: 'read',
  roles: TOOL_ROLES,
  input: z.strictObject({}),
  output: z.strictObject({}),
  handle({ context }) {
    seen.push(context)
    return {}
  },
})

beforeAll(async () => {
  tools = await startToolHub()
})
afterAll(() => tools[Symbol.asyncDispose]())

async function contextOf(changes: SeatChanges = {}): Promise<ToolContext | undefined> {
  seen.length = 0
  await callDirectly(tools, probe, {}, changes)
  return seen[0]
}

describe('the context of a call', () => {
  verifies(['TOOL-015', 'TOOL-017', 'TOOL-022'], 'holds all that the contract names', async () => {
    const context = await contextOf({ access_token: 'tok-SENTINEL', allowed_commands: ['node'] })
    expect(Object.keys(context ?? {}).toSorted()).toEqual(CONTEXT_KEYS.toSorted())
    expect(context).toEqual({
      project_root: tools.project.root,
      service_root: tools.project.service,
      isolation_level: 'STRICT',
      allowed_commands: ['node'],
      access_token: 'tok-SENTINEL',
      volume_id: `dev:${statSync(tools.project.service).dev}`,
      role: 'dev',
      agent_id: 'agent-1',
    })
  })

  verifies(
    ['TOOL-015', 'TOOL-017'],
    'is what the owner gave a session, and what the command line says',
    async () => {
      const given = { role: 'sre', agent_id: 'given', isolation_level: 'SHARED', allowed_commands: ['node'] }
      await using served = await serveMore(tools, probe)
      seen.length = 0
      await sendJson(served.url, 'POST', '/api/v1/tools/probe_tool', await tools.bearer(given), {})
      expect(seen).toMatchObject([{ ...given, service_root: tools.project.service, access_token: undefined }])
      const flags = {
        project: tools.project.root,
        service: 'services/web',
        'isolation-level': 'SHARED',
        'agent-id': 'typed',
        'allowed-commands': 'node, npm',
      }
      const { seat } = seatCaller(
        {
          flags: new Map(Object.entries(flags).map(([name, value]) => [name, [value]])),
          globals: {},
          env: { KNOWTATION_ACCESS_TOKEN: 'tok-SENTINEL' },
        } as unknown as Invocation,
        'other',
      )
      const own = {
        agent_id: 'typed',
        isolation_level: 'SHARED',
        allowed_commands: ['node', 'npm'],
        access_token: 'tok-SENTINEL',
      }
      expect(seat).toEqual(tools.seat(own))
    },
  )

  verifies('TOOL-015', 'is refused where it names no service, or one that is not there', async () => {
    const args = { path: 'x.txt', content: 'x' }
    const before = tools.project.fingerprint()
    for (const service_root of [undefined, '', '/', `${tools.project.root}/services/gone`]) {
      const seat = (changes?: SeatChanges) => ({ ...tools.seat(changes), service_root }) as ToolboxSeat
      const { ok } = await callDirectly({ hub: tools.hub, seat }, 'write_file', args)
      expect(ok, String(service_root)).toBe(false)
    }
    const session = await tools.owner('POST', '/api/v1/tool-sessions', { project: tools.project.root })
    expect(session.code).toBe('BAD_REQUEST')
    for (const service of ['services/gone', '..', '/', '../..', '/etc', '', ' ']) {
      const wanted = { project: tools.project.root, service }
      expect((await tools.owner('POST', '/api/v1/tool-sessions', wanted)).code, service).toBe('BAD_REQUEST')
      const words = ['tool', 'call', 'git_status', '--project', tools.project.root, '--service', service]
      expect((await runInProcess(words, tools.hub.options.env)).exit, service).toBe(2)
    }
    const without = ['tool', 'call', 'git_status', '--project', tools.project.root]
    const twice = [...without, '--service', 'services/web', '--service', '.']
    const nowhere = ['tool', 'call', 'git_status', '--project', '', '--service', 'services/web']
    for (const words of [without, twice, nowhere])
      expect((await runInProcess(words, tools.hub.options.env)).exit).toBe(2)
    expect(tools.project.fingerprint()).toBe(before)
  })

  verifies('TOOL-016', 'is changed by no argument of a call: every tool refuses its names', async () => {
    const forged = {
      role: 'sre',
      service_root: '/',
      isolation_level: 'SHARED',
      allowed_commands: ['bash'],
      access_token: 'x',
      volume_id: 'dev:0',
      agent_id: 'other',
      project_root: '/',
    }
    for (const tool of toolNames) {
      const authority = registry.get(tool)?.authority
      const role = authority?.kind === 'seat' ? (authority.roles[0] as string) : ''
      expect(Object.keys(registry.get(tool)?.input.shape ?? {})).not.toEqual(
        expect.arrayContaining([expect.stringMatching(new RegExp(`^(${CONTEXT_KEYS.join('|')})$`))]),
      )
      for (const [name, value] of Object.entries(forged)) {
        const { text } = await callDirectly(tools, tool, { [name]: value }, { role })
        expect(JSON.parse(text).error.code, `${tool} ${name}`).toBe('ValidationError')
      }
    }
  })

  test.each(WAYS)('is changed by no argument of a call by %s', async (way) => {
    const before = tools.project.fingerprint()
    const args = { path: 'forged.txt', content: 'x' }
    for (const more of [{ role: 'sre' }, { service_root: '/' }, { role: 'sre', service_root: '/' }])
      expect(await tools.codeOf(way, 'write_file', { ...args, ...more })).toBe('ValidationError')
    expect(tools.project.fingerprint()).toBe(before)
  })
})

function isolated(service_isolation: string): string {
  return JSON.stringify({ ...NODE_TOOLCHAIN, scope: { service_isolation } })
}

describe('the isolation level', () => {
  verifies('TOOL-017', 'is STRICT or SHARED, and STRICT where nothing is said', async () => {
    expect((await contextOf())?.isolation_level).toBe('STRICT')
    expect((await contextOf({ isolation_level: 'SHARED' }))?.isolation_level).toBe('SHARED')
    for (const level of ['NONE', 'strict', '', 'PARTIAL']) {
      expect(await tools.codeOf('direct', 'list_files', {}, { isolation_level: level })).toBe(
        'ValidationError',
      )
      const wanted = { project: tools.project.root, service: 'services/web', isolation_level: level }
      expect((await tools.owner('POST', '/api/v1/tool-sessions', wanted)).code).toBe('BAD_REQUEST')
    }
    expect(await tools.codeOf('cli', 'list_files', {}, { isolation_level: 'NONE' })).toBe('ValidationError')
  })

  verifies(
    'TOOL-017',
    "is the project's own where the seat does not say, and a wrong one closes all",
    async () => {
      tools.project.write('.flow/config.json', isolated('SHARED'))
      expect((await contextOf())?.isolation_level).toBe('SHARED')
      expect((await contextOf({ isolation_level: 'STRICT' }))?.isolation_level).toBe('STRICT')
      tools.project.write('.flow/config.json', isolated('NONE'))
      expect(await tools.codeOf('rest', 'list_files')).toBe('ConfigDamaged')
      tools.project.write('.flow/config.json', JSON.stringify(NODE_TOOLCHAIN))
    },
  )

  verifies('TOOL-018', 'SHARED opens no sibling and makes nothing shared writable', async () => {
    const before = tools.project.fingerprint()
    const shared = { isolation_level: 'SHARED' }
    for (const way of WAYS) {
      const code = (tool: string, args: object) => tools.codeOf(way, tool, args, shared)
      expect(await code('read_file', { path: '../other/x.txt' })).toBe('SecurityError')
      expect(await code('list_files', { path: '../other' })).toBe('SecurityError')
      expect(await code('write_file', { path: 'shared_contracts/s.md', content: 'x' })).toBe('SecurityError')
      expect(await code('delete_file', { path: 'shared_contracts/s.md' })).toBe('SecurityError')
      expect(await code('read_file', { path: 'shared_contracts/s.md' })).toBe('success')
    }
    expect(tools.project.fingerprint()).toBe(before)
  })
})

describe('the commands that a session is allowed', () => {
  verifies(
    'TOOL-019',
    'are all that its agent may run; another is refused and told to the owner',
    async () => {
      const allowed = { allowed_commands: ['pytest'], agent_id: 'tester' }
      expect(await tools.codeOf('rest', 'run_lint', { target: 'src/main.mjs' }, allowed)).toBe(
        'PolicyViolation',
      )
      expect(await tools.codeOf('rest', 'read_file', { path: 'docs/a.md' }, allowed)).toBe('success')
      const { violations } = await tools.owner('GET', '/api/v1/toolbox/violations?agent_id=tester')
      expect(violations).toMatchObject([
        { violation_type: 'command_whitelist', command_args: ['node', '--check', 'src/main.mjs'] },
      ])
      const none = { allowed_commands: [], agent_id: 'idle' }
      expect(await tools.codeOf('rest', 'run_lint', { target: 'src/main.mjs' }, none)).toBe('PolicyViolation')
    },
  )
})

describe('a caller without a seat', () => {
  verifies('TOOL-004', 'is refused every tool, whatever else it may do', async () => {
    const before = tools.project.fingerprint()
    const { bearers } = tools.hub.credentials
    for (const who of ['viewer', 'editor', 'evaluator', 'admin', 'hub', 'gateway'] as const) {
      for (const tool of toolNames) {
        const path = `/api/v1/tools/${tool}`
        const { status, text } = await sendJson(tools.hub.url, 'POST', path, bearers[who], { path: 'x' })
        expect([status, JSON.parse(text).error.code], `${who} ${tool}`).toEqual([403, 'PermissionDenied'])
      }
    }
    expect(tools.project.fingerprint()).toBe(before)
  })
})
