import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkExchange } from './check-exchange.ts'
import { parseAgentInput } from './check-input.ts'
import { parseAgentOutput } from './check-output.ts'
import { changed, EXAMPLE_INPUT, GOOD_OUTPUT, withArtifact } from './examples.fixture.ts'
import { isIsoMoment } from './iso-moment.ts'
import { agentInputSchema, agentOutputSchema } from './schemas.ts'

const ajv = new Ajv2020({ strict: true })
// JSON Schema leaves the meaning of a format to its reader; the contract wants a day that exists.
ajv.addFormat('date-time', isIsoMoment)
const isInput = ajv.compile(agentInputSchema)
const isOutput = ajv.compile(agentOutputSchema)

/** A sound document with a few of its parts, at any depth, put in place of others. */
function damaged(sound: object): fc.Arbitrary<unknown> {
  const part = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(
      '',
      ' ',
      'v1',
      'led-100',
      'led-999',
      'succeeded',
      'failed',
      'site_plan',
      'copy',
      1,
      0,
      1.5,
    ),
    fc.constantFrom(
      [],
      {},
      [''],
      ['led-100'],
      null,
      true,
      false,
      '2025-02-30T00:00:00Z',
      '2025-01-19T10:00:00Z',
    ),
  )
  const change = fc.record({
    at: fc.nat(),
    drop: fc.boolean(),
    part,
    key: fc.constantFrom('extra', 'payload', ''),
  })
  return fc.array(change, { maxLength: 3 }).map((changes) => {
    const copy = JSON.parse(JSON.stringify(sound)) as Record<string, unknown>
    for (const { at, drop, part: value, key } of changes) damage(copy, at, drop, structuredClone(value), key)
    return copy
  })
}

function damage(copy: object, at: number, drop: boolean, value: unknown, key: string): void {
  const holders: object[] = []
  const collect = (one: unknown) => {
    if (typeof one !== 'object' || one === null) return
    holders.push(one)
    Object.values(one).forEach(collect)
  }
  collect(copy)
  const holder = holders[at % holders.length] as Record<string, unknown>
  if (Array.isArray(holder))
    return void holder.splice(at % (holder.length + 1), drop ? 1 : 0, ...(drop ? [] : [value]))
  const keys = Object.keys(holder)
  const chosen = keys[at % Math.max(1, keys.length)] ?? 'extra'
  if (drop) delete holder[chosen]
  else holder[key === '' ? chosen : key] = value
}

describe('what the code says and what the published schemas say', () => {
  test('of inputs is the same', () => {
    fc.assert(
      fc.property(damaged(EXAMPLE_INPUT), (input) => {
        expect(parseAgentInput(input).ok).toBe(isInput(input))
      }),
      { numRuns: 2_000 },
    )
  })

  test('of outputs is the same', () => {
    const sound = { ...GOOD_OUTPUT, diagnostics: { a: [1] } }
    const failed = { ok: false, executionId: 'exec-001', status: 'failed' }
    const error = { code: 'VALIDATION_ERROR', message: 'No.', retryable: true }
    fc.assert(
      fc.property(fc.oneof(damaged(sound), damaged({ ...failed, error })), (output) => {
        expect(parseAgentOutput(output).ok).toBe(isOutput(output))
      }),
      { numRuns: 2_000 },
    )
  })

  test('of anything at all: no crash, and a refusal has at least one violation and no more than a hundred', () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true })
    const either = (sound: object) => fc.oneof(anything, damaged(sound))
    fc.assert(
      fc.property(either(EXAMPLE_INPUT), either(GOOD_OUTPUT), (input, output) => {
        const verdict = checkExchange(input, output)
        if (verdict.ok) return
        expect(verdict.violations.length).toBeGreaterThan(0)
        expect(verdict.violations.length).toBeLessThanOrEqual(100)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('an exchange', () => {
  test('that executes on a stale snapshot can only be blocked', () => {
    const stale = changed(EXAMPLE_INPUT, { runMode: 'execute', coherenceStatus: 'stale' })
    expect(checkExchange(stale, GOOD_OUTPUT)).toMatchObject({ ok: false, code: 'COHERENCE_BLOCKED' })
    expect(checkExchange(stale, { ok: false, executionId: 'exec-001', status: 'blocked' })).toMatchObject({
      ok: true,
    })
    expect(checkExchange({ ...stale, runMode: 'dry_run' }, GOOD_OUTPUT)).toMatchObject({ ok: true })
  })

  test('with very much in it is judged in time, and with too much is refused', () => {
    let shared: unknown = 1
    for (let depth = 0; depth < 40; depth++) shared = [shared, shared]
    expect(checkExchange(EXAMPLE_INPUT, withArtifact({ payload: { shared } }))).toMatchObject({ ok: false })
    const wide = { list: Array.from({ length: 100_000 }, (_, at) => at) }
    expect(checkExchange(EXAMPLE_INPUT, withArtifact({ payload: wide }))).toMatchObject({ ok: true })
  })
})
