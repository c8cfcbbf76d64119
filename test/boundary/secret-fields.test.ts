import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { ask, type BoundaryHub, inputOf, startBoundaryHub, traceRun } from './boundary-hub.ts'
import { answering, artifactOf, goodAnswer } from './probe-engine.ts'

/** Credentials by their form, one for each field; no such one was ever given out. */
const sentinel = (at: number) => `ghp_${'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7'}${'abcdefgh'[at]}${at}`
const MARK = '[REDACTED:github_token]'
const TABLES = ['ledger_entries', 'boundary_executions', 'boundary_attempts', 'boundary_dead_letters']

/** An artifact with a secret in each field that has room for one. */
const artifact = (input: Parameters<typeof artifactOf>[0], first: number) => ({
  ...artifactOf(input),
  payload: {
    text: `with ${sentinel(first)}`,
    deep: [{ list: [`${sentinel(first + 1)}`] }],
    [`key ${sentinel(first + 2)}`]: 1,
  },
  metadata: {
    generatedAt: '2025-01-19T10:05:00.000Z',
    model: `gpt ${sentinel(first + 3)}`,
    tokensUsed: 7,
  },
})

describe.each(DATABASES)('a secret in a field of an answer, on %s', (database) => {
  let hub: BoundaryHub
  beforeAll(async () => void (hub = await startBoundaryHub({ database })))
  afterAll(() => hub.close())

  /** Every row that an execution can leave behind, and the audit log. */
  async function stored(): Promise<string> {
    const rows = [...TABLES, 'audit_records'].map((table) =>
      hub.hub.db.all(sql<object>(`SELECT * FROM ${table}`)),
    )
    return JSON.stringify(await Promise.all(rows))
  }

  async function answered(answer: typeof hub.probe.answer) {
    hub.probe.answer = answer
    const traced = await traceRun(hub, inputOf())
    const { run_id } = traced.execution
    const shown = await ask(hub, 'boundary_show', { run_id })
    const listed = await ask(hub, 'boundary_list', {})
    const everywhere = [traced.told.text, shown.text, listed.text, hub.logged.join(''), await stored()].join(
      '\n',
    )
    for (let at = 0; at < 8; at++) expect(everywhere.includes(sentinel(at)), `sentinel ${at}`).toBe(false)
    return traced
  }

  test('never gets into the ledger, whichever field of whichever artifact it is in', async () => {
    const { outcome, made } = await answered((input) => ({
      ...goodAnswer(input),
      artifacts: [artifact(input, 0), artifact(input, 4)],
    }))
    expect([outcome.status, made]).toEqual(['succeeded', 3])
    for (const ledger_id of outcome.artifact_ledger_ids) {
      const { body } = await ask(hub, 'ledger_show', { ledger_id })
      expect(body.entry.payload).toEqual({
        text: `with ${MARK}`,
        deep: [{ list: [MARK] }],
        [`key ${MARK}`]: 1,
      })
    }
    const event = await ask(hub, 'ledger_show', { ledger_id: outcome.event_ledger_id })
    const metadata = { generatedAt: '2025-01-19T10:05:00.000Z', model: `gpt ${MARK}`, tokensUsed: 7 }
    expect(event.body.entry.payload.result.artifacts).toMatchObject([{ metadata }, { metadata }])
  })

  test('never gets into an outcome by the diagnostics of a good answer', async () => {
    const diagnostics = { note: `with ${sentinel(0)}`, deep: [{ [`key ${sentinel(1)}`]: sentinel(2) }] }
    const { outcome } = await answered(answering({ diagnostics }))
    expect(outcome).toMatchObject({
      status: 'succeeded',
      reported: { message: null, diagnostics: { note: `with ${MARK}`, deep: [{ [`key ${MARK}`]: MARK }] } },
    })
  })

  test.each(['failed', 'blocked'])(
    'never gets into an outcome that %s, by message or diagnostics',
    async (status) => {
      const code = status === 'blocked' ? 'COHERENCE_BLOCKED' : 'VALIDATION_ERROR'
      const { outcome } = await answered((input) => ({
        ok: false,
        executionId: input.executionId,
        status,
        error: { code, message: `with ${sentinel(0)}`, retryable: false },
        diagnostics: { note: sentinel(1) },
      }))
      expect(outcome).toMatchObject({
        status,
        reported: { message: `with ${MARK}`, diagnostics: { note: MARK } },
      })
    },
  )

  test('never gets into a violation by a name that breaks the contract', async () => {
    const { outcome, made } = await answered((input) => ({
      ...goodAnswer(input),
      [sentinel(0)]: 1,
      artifacts: [
        { ...artifactOf(input), [sentinel(1)]: 1, type: sentinel(2), dependsOnLedgerIds: [sentinel(3)] },
        { ...artifactOf(input), metadata: { generatedAt: sentinel(4), [sentinel(5)]: sentinel(6) } },
      ],
    }))
    expect([outcome.error.code, made]).toEqual(['MODEL_OUTPUT_INVALID', 0])
  })
})
