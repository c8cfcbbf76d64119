import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { verifies } from '../../test/requirements/verifies.ts'
import { callAgent } from './call-agent.ts'
import { parseAgentInput } from './check-input.ts'
import { coherenceOf, decideCoherence } from './coherence.ts'
import { allowedArtifactTypesFor, allowedLineageAt, composeInput } from './compose.ts'
import type { AgentInput, JsonObject, ObjectiveType } from './contract.ts'
import { changed, EXAMPLE_INPUT, GOOD_OUTPUT, unsafeValues } from './examples.fixture.ts'
import { freezeSnapshot } from './freeze.ts'
import { comparableInput, stableJson } from './stable-json.ts'

const bytes = (value: unknown) => JSON.stringify(value)
const at = (hour: number) => new Date(Date.UTC(2025, 0, 19, hour))
const entry = (id: string, createdAt: string) => ({ id, createdAt })
const ids = (...dependsOnLedgerIds: string[]) =>
  comparableInput({ ...EXAMPLE_INPUT, allowedLineage: { dependsOnLedgerIds } })
const decide = (runMode: AgentInput['runMode'], partial: 'run' | 'draft_only' | 'block') =>
  decideCoherence({ runMode, coherenceStatus: 'partial' }, partial)
const input = (changes: Record<string, unknown>) => changed(EXAMPLE_INPUT, changes)

describe('an agent in the same process', () => {
  verifies(
    'BNDY-002',
    'gets a frozen copy: nothing it does reaches the host or a later attempt',
    async () => {
      const asked = structuredClone(
        input({ intelligenceSnapshot: { signals: [{ a: 1 }], deep: { b: { c: 1 } } } }),
      )
      const before = bytes(asked)
      const seen: string[] = []
      const vandal = (given: AgentInput) => {
        seen.push(bytes(given))
        const snapshot = given.intelligenceSnapshot as {
          signals: { a: number }[]
          deep: { b: { c: number } }
        }
        const acts = [
          () => (snapshot.deep.b.c = 2),
          () => snapshot.signals.push({ a: 2 }),
          () => ((snapshot.signals[0] as { a: number }).a = 9),
          () => Reflect.deleteProperty(snapshot, 'deep'),
          () => Object.assign(given, { coherenceStatus: 'stale' }),
          () => Object.setPrototypeOf(given.objective, { x: 1 }),
        ]
        for (const act of acts) {
          try {
            act()
          } catch {}
        }
        seen.push(bytes(given))
        return { ...GOOD_OUTPUT }
      }
      for (const attempt of [1, 2]) {
        expect(await callAgent(vandal, { ...asked, attempt })).toMatchObject({ status: 'succeeded' })
      }
      expect(bytes(asked)).toBe(before)
      expect(seen.slice(0, 2)).toEqual([before, before])
      expect(seen.slice(2)).toEqual(Array(2).fill(before.replace('"attempt":1', '"attempt":2')))
    },
  )

  verifies(
    'BNDY-002',
    'is judged by what it was given, whatever becomes of the caller’s own value',
    async () => {
      const asked = structuredClone(input({ allowedArtifactTypes: ['copy'] }))
      const widening = () => {
        asked.allowedArtifactTypes = ['site_plan']
        return { ...GOOD_OUTPUT }
      }
      expect(await callAgent(widening, asked)).toMatchObject({
        status: 'failed',
        error: { code: 'MODEL_OUTPUT_INVALID' },
        violations: [{ path: 'artifacts[0].type' }],
      })
    },
  )

  verifies('BNDY-003', 'cannot change its answer once it has been judged', async () => {
    const live = structuredClone(GOOD_OUTPUT) as unknown as {
      artifacts: { payload: Record<string, unknown> }[]
    }
    const outcome = await callAgent(() => live, EXAMPLE_INPUT)
    const [artifact] = live.artifacts
    if (artifact) artifact.payload = { never: 'judged' }
    expect(outcome).toMatchObject({ status: 'succeeded', output: GOOD_OUTPUT })
    const list = Object.setPrototypeOf(
      ['led-100'],
      Object.create(Array.prototype, { toJSON: { value: () => ['led-999'] } }),
    )
    const [sound] = structuredClone(GOOD_OUTPUT).artifacts ?? []
    const twofaced = { ...GOOD_OUTPUT, artifacts: [{ ...sound, dependsOnLedgerIds: list }] }
    expect(await callAgent(() => twofaced, EXAMPLE_INPUT)).toMatchObject({ status: 'failed' })
  })

  verifies('BNDY-055', 'gets the same bytes for the same request, and nothing of a former run', async () => {
    const seen: string[] = []
    const agent = (given: AgentInput) => {
      seen.push(bytes(given))
      return { ...GOOD_OUTPUT, diagnostics: { remember: 'this' } }
    }
    await callAgent(agent, EXAMPLE_INPUT)
    await callAgent(agent, EXAMPLE_INPUT)
    expect(seen).toEqual([bytes(EXAMPLE_INPUT), bytes(EXAMPLE_INPUT)])
  })

  verifies('BNDY-051', 'gets one argument and no this', async () => {
    const given: unknown[] = []
    await callAgent(function agent(this: unknown, ...all: unknown[]) {
      given.push(this, ...all)
      return GOOD_OUTPUT
    }, EXAMPLE_INPUT)
    expect(given).toEqual([undefined, EXAMPLE_INPUT])
  })

  verifies(['BNDY-040', 'BNDY-041'], 'is not called for an input that is not valid', async () => {
    const agent = vi.fn(() => GOOD_OUTPUT)
    const wrong = [
      { boundaryContractVersion: undefined },
      { boundaryContractVersion: 'v2' },
      { allowedLineage: { dependsOnLedgerIds: [] } },
      { allowedArtifactTypes: [] },
    ]
    for (const changes of wrong) {
      expect(await callAgent(agent, input(changes))).toMatchObject({
        status: 'failed',
        error: { code: 'VALIDATION_ERROR', retryable: false },
        violations: [{ path: expect.stringContaining(Object.keys(changes)[0] as string) }],
      })
    }
    expect(agent).not.toHaveBeenCalled()
  })

  verifies(['BNDY-042', 'BNDY-043'], 'is called unless it would execute on a stale snapshot', async () => {
    const outcomes: string[] = []
    for (const runMode of ['dry_run', 'execute']) {
      for (const coherenceStatus of ['coherent', 'partial', 'stale']) {
        const agent = vi.fn(() => GOOD_OUTPUT)
        const { status } = await callAgent(agent, input({ runMode, coherenceStatus }))
        outcomes.push(`${runMode} ${coherenceStatus}: ${status}, called ${agent.mock.calls.length}`)
      }
    }
    expect(outcomes).toEqual([
      'dry_run coherent: succeeded, called 1',
      'dry_run partial: succeeded, called 1',
      'dry_run stale: succeeded, called 1',
      'execute coherent: succeeded, called 1',
      'execute partial: succeeded, called 1',
      'execute stale: blocked, called 0',
    ])
    expect(await callAgent(() => 0, input({ runMode: 'execute', coherenceStatus: 'stale' }))).toMatchObject({
      error: { code: 'COHERENCE_BLOCKED', retryable: false },
    })
  })

  test('that throws, or answers something else, has failed', async () => {
    const agents = [
      () => Promise.reject(new Error('SENTINEL')),
      () => undefined,
      () => ({ ...GOOD_OUTPUT, ok: 1 }),
    ]
    for (const agent of agents) {
      const outcome = await callAgent(agent, EXAMPLE_INPUT)
      expect(outcome).toMatchObject({
        status: 'failed',
        error: { code: 'MODEL_OUTPUT_INVALID', retryable: true },
      })
      expect(bytes(outcome)).not.toContain('SENTINEL')
    }
  })
})

describe('the host', () => {
  test('may ask for more care on a partial snapshot', () => {
    expect([decide('dry_run', 'block'), decide('execute', 'block')]).toEqual(['blocked', 'blocked'])
    expect([decide('dry_run', 'draft_only'), decide('execute', 'draft_only')]).toEqual(['run', 'review'])
  })

  test('tells coherence by age and by what came since', () => {
    const now = at(12)
    const tell = (snapshotAt: Date, newestEntryAt?: Date, staleAfterMs?: number) =>
      coherenceOf({ snapshotAt, now, newestEntryAt, staleAfterMs })
    expect(tell(at(11), at(11))).toBe('coherent')
    expect(tell(at(11))).toBe('coherent')
    expect(tell(at(11), at(12))).toBe('partial')
    expect(tell(at(10), at(9), 3_600_000)).toBe('stale')
    expect(tell(at(-13), at(-14))).toBe('stale')
    expect(tell(new Date('x'))).toBe('stale')
  })

  verifies('BNDY-024', 'asks for artifacts by the objective', () => {
    const expected: Record<ObjectiveType, string[]> = {
      campaign_plan: ['paid_plan', 'copy', 'playbook'],
      paid_media_plan: ['paid_plan', 'copy'],
      landing_plan: ['site_plan'],
      site_plan: ['site_plan'],
      seo_cluster: ['seo_cluster', 'copy'],
    }
    for (const [type, types] of Object.entries(expected)) {
      expect(allowedArtifactTypesFor(type as ObjectiveType)).toEqual(types)
    }
  })

  test('allows a lineage of what was there when the snapshot was taken', () => {
    const ledger = [
      entry('b', '2025-01-19T10:00:00.000Z'),
      entry('a', '2025-01-19T09:59:59.999Z'),
      entry('c', '2025-01-19T10:00:00.001Z'),
      entry('a', '2025-01-19T09:00:00.000Z'),
    ]
    expect(allowedLineageAt(ledger, '2025-01-19T11:00:00+01:00')).toEqual(['a', 'b'])
  })

  test('composes an input that is valid, with a snapshot nobody can change', () => {
    const { intelligenceSnapshot, allowedLineage: _, allowedArtifactTypes: __, ...parts } = EXAMPLE_INPUT
    const snapshot = structuredClone(intelligenceSnapshot) as JsonObject & { signals: unknown[] }
    const ledger = ['led-200', 'led-100'].map((id) => ({ id, createdAt: '2025-01-19T09:00:00.000Z' }))
    const composed = composeInput({ ...parts, snapshot, ledger })
    snapshot.signals.push('later')
    expect(composed).toEqual(EXAMPLE_INPUT)
    expect(parseAgentInput(composed).ok).toBe(true)
    expect(Object.isFrozen(composed.intelligenceSnapshot.signals)).toBe(true)
    for (const value of Object.values(unsafeValues())) {
      expect(() => freezeSnapshot({ value })).toThrow('A snapshot must be a JSON object')
    }
  })
})

describe('stable texts', () => {
  test('are equal exactly for equal values, in whatever order their keys came', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        expect(stableJson(reversed(one))).toBe(stableJson(one))
        expect(JSON.parse(stableJson(one))).toEqual(JSON.parse(JSON.stringify(one)))
        if (stableJson(one) === stableJson(other))
          expect(JSON.stringify(other).length).toBe(JSON.stringify(one).length)
      }),
    )
  })

  test('of inputs take lineage as a set', () => {
    expect(ids('b', 'a', 'b')).toBe(ids('a', 'b'))
    expect(ids('a')).not.toBe(ids('a', 'b'))
  })
})

/** The same value with the keys of its objects the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, part]) => [key, reversed(part)]),
  )
}
