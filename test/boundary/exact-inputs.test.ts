import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AgentInput } from '../../src/boundary/index.ts'
import { runInProcess } from '../harness/call-cli.ts'
import { type BoundaryHub, entryCount, inputOf, startBoundaryHub } from './boundary-hub.ts'
import { goodAnswer } from './probe-engine.ts'

/** Values that a reader would keep as others, as they stand in JSON. */
const CHANGED = [
  '12345678901234567890',
  '9007199254740993',
  '0.1000000000000000055511151231257827',
  '1e-400',
  '-0',
  '-0.0',
]
const HALVES = ['"\\ud800"', '{"\\udfff":1}']
const EXACT = '[1.0,1e2,0.1,123456789012345680000,"\\ud83d\\ude00\\u0000",{"caf\u00e9":1,"cafe\u0301":2}]'

/** A document with a value put where the mark stands. */
const put = (document: object, value: string) => JSON.stringify(document).replace('"HERE"', value)
const running = (input: AgentInput) => ({ engine: 'probe', input, wait_seconds: 20 })
const withSnapshot = (value: unknown = 'HERE') => inputOf({ intelligenceSnapshot: { it: value } })

describe('an input', () => {
  let hub: BoundaryHub
  beforeAll(async () => {
    hub = await startBoundaryHub()
  })
  afterAll(() => hub.close())

  const send = async (path: string, body: string) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${hub.credentials.bearers.editor}`,
    }
    const response = await fetch(`${hub.url}${path}`, { method: 'POST', headers, body })
    return { status: response.status, text: await response.text() }
  }
  const entry = { tenant_id: 't-001', source: 'crm', type: 'signal', payload: { it: 'HERE' } }
  const parts = {
    tenant_id: 't-001',
    robot_id: 'r-001',
    objective: { type: 'site_plan', action: 'plan', payload: {} },
    snapshot: { it: 'HERE' },
  }

  test.each([...CHANGED, ...HALVES])('that holds %s is refused, and no engine sees it', async (value) => {
    const [calls, count] = [hub.probe.calls.length, await entryCount(hub)]
    const run = await send('/api/v1/boundary/executions', put(running(withSnapshot()), value))
    const append = await send('/api/v1/ledger/entries', put(entry, value))
    const compose = await send('/api/v1/boundary/inputs', put(parts, value))
    expect([run.status, append.status, compose.status]).toEqual([400, 400, 400])
    for (const { text } of [run, append, compose])
      expect(['BAD_REQUEST', 'VALIDATION_ERROR']).toContain(JSON.parse(text).code)
    expect([hub.probe.calls.length - calls, (await entryCount(hub)) - count]).toEqual([0, 0])
  })

  test.each(CHANGED)('over MCP that holds %s is refused', async (value) => {
    const call = { name: 'boundary_run', arguments: running(withSnapshot()) }
    const told = await send('/mcp', put({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }, value))
    expect(told.text).toContain('a number cannot be kept as it is written')
  })

  test.each([...CHANGED, ...HALVES])('on the command line that holds %s is refused', async (value) => {
    const file = join(hub.home.folder, 'input.json')
    writeFileSync(file, put(withSnapshot(), value))
    const run = ['boundary', 'run', '--engine', 'probe', '--input', file]
    expect((await runInProcess(run, hub.options.env)).exit).not.toBe(0)
    const check = await runInProcess(['boundary', 'check', '--input', file], {})
    expect([check.exit, check.stdout]).not.toEqual([0, 'The input is valid.\n'])
    const good = JSON.stringify(inputOf())
    const answer = put({ ...goodAnswer(JSON.parse(good)), diagnostics: { it: 'HERE' } }, value)
    const told = await runInProcess(['boundary', 'check', '--input', good, '--output', '-'], {}, answer)
    expect([told.exit, told.stderr]).toEqual([1, expect.stringContaining('MODEL_OUTPUT_INVALID')])
  })

  test('that can be kept reaches the engine and the ledger as it was given', async () => {
    const told = await send('/api/v1/boundary/executions', put(running(withSnapshot()), EXACT))
    expect(told.status).toBe(201)
    const seen = JSON.parse(hub.probe.calls.at(-1)?.body ?? '')
    expect(seen.intelligenceSnapshot.it).toStrictEqual(JSON.parse(EXACT))
    const kept = await send('/api/v1/ledger/entries', put(entry, EXACT))
    expect(JSON.parse(kept.text).entry.payload.it).toStrictEqual(JSON.parse(EXACT))
  })

  test('is checked as the hub checks answers: what it would refuse is not called valid', async () => {
    const input = inputOf()
    const answer = (payload: string) =>
      JSON.stringify(goodAnswer(input)).replace('{"plan":"A plan."}', payload)
    const check = async (text: string) =>
      (
        await runInProcess(
          ['boundary', 'check', '--input', JSON.stringify(input), '--output', '-', '--json'],
          {},
          text,
        )
      ).stdout
    expect(JSON.parse(await check(answer('{}'))).valid).toBe(true)
    for (const text of [answer('{"__proto__":1}'), `\ufeff\ufeff${answer('{}')}`, answer('{"a":1,"a":1}')])
      expect(JSON.parse(await check(text))).toMatchObject({ valid: false, code: 'MODEL_OUTPUT_INVALID' })
  })
})
