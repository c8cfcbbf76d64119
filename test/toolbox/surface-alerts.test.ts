import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../src/domains/toolbox/define-tool.ts'
import { TOOL_ROLES } from '../../src/domains/toolbox/tool-context.ts'
import { runInProcess } from '../harness/call-cli.ts'
import type { Clock } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { callDirectly, startToolHub, type ToolHub, WAYS, type Way } from './surface-hub.fixture.ts'

const OUTSIDE = { path: '../other/x.txt' }
const INSIDE = { path: 'docs/a.md' }

async function violate(tools: ToolHub, times: number, agent_id: string, way: Way = 'rest'): Promise<void> {
  for (let count = 0; count < times; count++)
    expect(await tools.codeOf(way, 'read_file', OUTSIDE, { agent_id })).toBe('SecurityError')
}

async function alertedAgents(tools: ToolHub): Promise<string[]> {
  const { alerts } = await tools.owner('GET', '/api/v1/toolbox/alerts')
  const open = alerts.filter((alert: any) => alert.acknowledged_at === null)
  return open.map((alert: any) => alert.agent_id)
}

async function metricOf(tools: ToolHub): Promise<string | undefined> {
  const text = await (await fetch(`${tools.hub.url}/metrics`)).text()
  return /^knowtation_toolbox_alerts (.*)$/m.exec(text)?.[1]
}

describe('Alert Mode', () => {
  verifies(
    ['TOOL-133', 'TOOL-134'],
    'begins with the sixth violation of an agent, is seen everywhere, and stops no honest call',
    async () => {
      await using tools = await startToolHub()
      await violate(tools, 5, 'eager')
      expect([await alertedAgents(tools), await metricOf(tools)]).toEqual([[], '0'])
      expect((await tools.owner('GET', '/api/v1/doctor')).healthy).toBe(true)
      await violate(tools, 1, 'eager')
      expect([await alertedAgents(tools), await metricOf(tools)]).toEqual([['eager'], '1'])
      const doctor = await tools.owner('GET', '/api/v1/doctor')
      expect(doctor.healthy).toBe(false)
      expect(doctor.findings).toContainEqual(
        expect.objectContaining({ subject: 'agents in Alert Mode', state: 'wrong', detail: 'eager' }),
      )
      const { stdout } = await runInProcess(['alert', 'list'], tools.hub.options.env)
      expect(stdout).toContain('eager')
      for (const way of WAYS)
        expect(await tools.codeOf(way, 'read_file', INSIDE, { agent_id: 'eager' })).toBe('success')
      await tools.owner('POST', '/api/v1/toolbox/alerts/eager/acknowledge', {})
      expect([await alertedAgents(tools), await metricOf(tools)]).toEqual([[], '0'])
    },
  )

  verifies(
    'TOOL-133',
    'counts each agent by itself, on whichever way it comes, within one minute',
    async () => {
      const clock: Clock = { now: new Date('2026-11-01T12:00:00.000Z') }
      await using tools = await startToolHub(undefined, { clock })
      for (const agent_id of ['one', 'two']) await violate(tools, 3, agent_id)
      expect(await alertedAgents(tools)).toEqual([])
      await violate(tools, 2, 'one', 'mcp')
      clock.now = new Date('2026-11-01T12:01:00.001Z')
      await violate(tools, 5, 'one', 'direct')
      expect(await alertedAgents(tools)).toEqual([])
      await violate(tools, 1, 'one', 'direct')
      expect(await alertedAgents(tools)).toEqual(['one'])
    },
  )
})

describe('the kill switch', () => {
  test('lets the call under way end as it began, and stops the next one', async () => {
    await using tools = await startToolHub()
    const { promise: isBegun, resolve: begun } = Promise.withResolvers<void>()
    const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>()
    const slow = defineTool({
      name: 'slow_tool',
      description: 'Takes as long as the test wants it to.',
      effect: 'update',
      roles: TOOL_ROLES,
      input: z.strictObject({}),
      output: z.strictObject({ done: z.boolean() }),
      async handle() {
        begun()
        await mayGoOn
        return { done: true }
      },
    })
    await tools.bearer()
    const running = callDirectly(tools, slow, {})
    await isBegun
    await tools.owner('POST', '/api/v1/locks', { kind: 'all', reason: 'a look' })
    for (const way of WAYS) expect(await tools.codeOf(way, 'read_file', INSIDE)).toBe('Locked')
    const locked = await tools.call('rest', 'read_file', INSIDE)
    expect(locked.metadata.security_checks).toBe('failed')
    goOn()
    expect(JSON.parse((await running).text)).toMatchObject({ status: 'success', data: { done: true } })
    const again = await callDirectly(tools, slow, {})
    expect([again.status, JSON.parse(again.text).error.code]).toEqual([423, 'Locked'])
    expect((await tools.owner('GET', '/api/v1/locks')).locks).toMatchObject([
      { kind: 'all', reason: 'a look' },
    ])
    await tools.owner('DELETE', '/api/v1/locks/all')
    expect(await tools.codeOf('rest', 'read_file', INSIDE)).toBe('success')
  })

  test('stops everything but the looks of the owner', async () => {
    await using tools = await startToolHub()
    await tools.owner('POST', '/api/v1/locks', { kind: 'all' })
    const looks = [
      'doctor',
      'toolbox/violations',
      'toolbox/alerts',
      'locks',
      'tool-sessions',
      'audit',
      'flows',
    ]
    for (const path of looks)
      expect(await tools.owner('GET', `/api/v1/${path}`), path).not.toMatchObject({ code: 'LOCKED' })
    const wanted = { project: tools.project.root, service: 'services/web' }
    expect(await tools.owner('POST', '/api/v1/tool-sessions', wanted)).toMatchObject({ code: 'LOCKED' })
    const doctor = await tools.owner('GET', '/api/v1/doctor')
    expect(doctor.findings).toContainEqual(
      expect.objectContaining({ subject: 'locks', detail: 'everything' }),
    )
  })
})
