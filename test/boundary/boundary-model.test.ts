import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  EXECUTION_STATES,
  type ExecutionState,
  isMove,
} from '../../src/domains/boundary/executions/execution-state.ts'
import { ask, type BoundaryHub, entryCount, inputOf, run, startBoundaryHub } from './boundary-hub.ts'
import { answering, artifactOf, goodAnswer } from './probe-engine.ts'

const DIRECT = { way: 'direct' } as const
let hub: BoundaryHub

beforeAll(async () => {
  hub = await startBoundaryHub()
})
afterAll(() => hub.close())

type Answer = 'good' | 'failed' | 'bad'

/** What the engine will answer to a submission, and what the model says comes of it. */
const ANSWERS: Record<Answer, { answer: typeof goodAnswer; state: ExecutionState }> = {
  good: { answer: goodAnswer, state: 'succeeded' },
  failed: { answer: answering({ ok: false, status: 'failed' }), state: 'failed' },
  bad: { answer: answering({ surplus: 1 }), state: 'failed' },
}

interface Step {
  act: 'submit' | 'cancel'
  attempt: number
  variant: 'a' | 'b'
  answer: Answer
}

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom('submit' as const, 'submit' as const, 'submit' as const, 'cancel' as const),
  attempt: fc.integer({ min: 1, max: 4 }),
  variant: fc.constantFrom('a' as const, 'b' as const),
  answer: fc.constantFrom('good' as const, 'failed' as const, 'bad' as const),
})

/** One execution as the contract describes it, without a hub. */
function createModel() {
  const attempts = new Map<number, { variant: string; state: ExecutionState }>()
  const latest = () => Math.max(0, ...attempts.keys())
  return {
    written: () => [...attempts.values()].filter(({ state }) => state === 'succeeded').length * 2,
    submit({ attempt, variant, answer }: Step): string {
      const known = attempts.get(attempt)
      if (known) return known.variant === variant ? `again ${known.state}` : 'IDEMPOTENCY_CONFLICT'
      const last = attempts.get(latest())
      if (attempt < latest() || (last && last.state !== 'failed')) return 'IDEMPOTENCY_CONFLICT'
      attempts.set(attempt, { variant, state: ANSWERS[answer].state })
      return `new ${ANSWERS[answer].state}`
    },
    cancel: (): string => (latest() === 0 ? 'unknown_execution' : 'EXECUTION_ENDED'),
  }
}

test('whatever is submitted in whatever order, an execution goes the way the model goes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const model = createModel()
      const input = inputOf()
      const count = await entryCount(hub)
      let run_id = `brun_${'0'.repeat(32)}`
      for (const one of steps) {
        if (one.act === 'cancel') {
          const told = await ask(hub, 'boundary_cancel', { run_id }, DIRECT)
          expect(told.code).toBe(model.cancel())
          continue
        }
        hub.probe.answer = ANSWERS[one.answer].answer
        const asked = { ...input, attempt: one.attempt, constraints: { variant: one.variant } }
        const { body } = await run(hub, asked, {}, DIRECT)
        const { idempotent, execution, code } = body
        run_id = execution?.run_id ?? run_id
        expect(code ?? `${idempotent ? 'again' : 'new'} ${execution.state}`).toBe(model.submit(one))
        expect((await entryCount(hub)) - count).toBe(model.written())
      }
    }),
    { numRuns: 40 },
  )
  expect((await ask(hub, 'ledger_verify', {}, { as: 'admin' })).body.intact).toBe(true)
}, 60_000)

test('states move as the table says, and no other way', () => {
  const moves = EXECUTION_STATES.flatMap((from) =>
    EXECUTION_STATES.flatMap((to) => [
      ...(isMove(from, to) ? [`${from} → ${to}`] : []),
      ...(isMove(from, to, true) ? [`${from} → ${to} by a higher attempt`] : []),
    ]),
  )
  expect(moves).toEqual([
    'planned → running',
    'running → succeeded',
    'running → failed',
    'running → cancelled',
    'failed → planned by a higher attempt',
    'failed → running by a higher attempt',
  ])
})

describe('any answer at all', () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(
      '',
      'succeeded',
      'failed',
      true,
      false,
      [],
      {},
      ['led-100'],
      ['led-999'],
      'site_plan',
      'copy',
    ),
  )
  const change = fc.record({
    key: fc.constantFrom('ok', 'status', 'executionId', 'artifacts', 'error', 'x'),
    value,
  })
  const inArtifact = fc.record({
    key: fc.constantFrom('type', 'payload', 'dependsOnLedgerIds', 'metadata', 'y'),
    value,
  })

  test('is written whole or not at all, and never repeated in the report', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 2 }),
        fc.array(inArtifact, { maxLength: 2 }),
        fc.integer({ min: 1, max: 3 }),
        async (changes, artifactChanges, size) => {
          hub.probe.answer = (input) => {
            const sound = artifactOf(input)
            const damaged = Object.assign(
              { ...sound },
              ...artifactChanges.map((one) => ({ [one.key]: one.value })),
            )
            const artifacts = Array.from({ length: size }, (_, at) => (at === size - 1 ? damaged : sound))
            const answer = {
              ...goodAnswer(input),
              artifacts,
              diagnostics: { echo: input.intelligenceSnapshot },
            }
            return JSON.stringify(Object.assign(answer, ...changes.map((one) => ({ [one.key]: one.value }))))
          }
          const count = await entryCount(hub)
          const told = await run(hub, inputOf({ intelligenceSnapshot: { word: 'SENTINEL' } }), {}, DIRECT)
          const { state, outcome } = told.body.execution
          const made = (await entryCount(hub)) - count
          expect([told.status, made]).toEqual([201, state === 'succeeded' ? size + 1 : 0])
          if (outcome.error?.code !== 'MODEL_OUTPUT_INVALID') return
          expect(outcome.violations.length).toBeGreaterThan(0)
          expect(told.text).not.toContain('SENTINEL')
        },
      ),
      { numRuns: 150 },
    )
  }, 60_000)

  test('that is no JSON is refused as one violation of the whole', async () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('', '{', 'null', '[]', '{"ok":true}{}', '\u0000'))
    await fc.assert(
      fc.asyncProperty(text, async (answer) => {
        hub.probe.answer = () => answer
        const count = await entryCount(hub)
        const { state, outcome } = (await run(hub, inputOf(), {}, DIRECT)).body.execution
        expect([state, outcome.error.code, await entryCount(hub)]).toEqual([
          'failed',
          'MODEL_OUTPUT_INVALID',
          count,
        ])
      }),
      { numRuns: 40 },
    )
  }, 60_000)
})

describe('any submission at all', () => {
  test('is refused by its code without a call, or carried out', async () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom('', ' ', 0, 1, [], {}, 'v1', 'execute', 'stale'),
    )
    const keys = Object.keys(inputOf())
    const change = fc.record({ key: fc.constantFrom(...keys, 'surplus'), value, drop: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        hub.probe.answer = goodAnswer
        const input: Record<string, unknown> = { ...inputOf({ intelligenceSnapshot: { word: 'SENTINEL' } }) }
        for (const one of changes) {
          if (one.drop) delete input[one.key]
          else input[one.key] = one.value
        }
        const [calls, count] = [hub.probe.calls.length, await entryCount(hub)]
        const told = await run(hub, input, {}, DIRECT)
        const outcomes = ['VALIDATION_ERROR', 'MISSING_LINEAGE', 'IDEMPOTENCY_CONFLICT', undefined]
        expect(outcomes).toContain(told.code)
        if (told.code === undefined) return
        expect([hub.probe.calls.length, await entryCount(hub)]).toEqual([calls, count])
        expect(told.text).not.toContain('SENTINEL')
      }),
      { numRuns: 150 },
    )
  }, 60_000)
})
