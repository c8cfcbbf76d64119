import { describe, expect, test } from 'vitest'
import { verifies } from '../../test/requirements/verifies.ts'
import { checkExchange } from './check-exchange.ts'
import { OUTPUT_KEYS, parseAgentOutput } from './check-output.ts'
import { ERROR_CODES } from './contract.ts'
import {
  ARTIFACT,
  changed,
  EXAMPLE_INPUT,
  GOOD_OUTPUT,
  INVALID_OUTPUT,
  unsafeValues,
  withArtifact,
} from './examples.fixture.ts'

const FAILED = { ok: false, executionId: 'exec-001', status: 'failed' }
const BLOCKED = { ok: false, executionId: 'exec-001', status: 'blocked' }

/** The paths that are blamed in an answer to the example. */
function blamed(output: unknown, input: object = EXAMPLE_INPUT): string[] {
  const checked = checkExchange(input, output)
  if (checked.ok) return []
  expect(checked.code).toBe('MODEL_OUTPUT_INVALID')
  return checked.violations.map(({ path }) => path)
}

const metadata = (changes: Record<string, unknown>) =>
  withArtifact({ metadata: changed(ARTIFACT.metadata, changes) })

describe('an output', () => {
  test('that is sound is valid, by itself and as an answer', () => {
    expect(parseAgentOutput(GOOD_OUTPUT)).toEqual({ ok: true, value: GOOD_OUTPUT })
    expect(blamed(GOOD_OUTPUT)).toEqual([])
  })

  verifies('BNDY-027', 'says whether it is ok, by a boolean', () => {
    for (const ok of [undefined, 'true', 1, null])
      expect(blamed(changed(GOOD_OUTPUT, { ok }))).toEqual(['ok'])
  })

  verifies('BNDY-028', 'names the execution that it answers', () => {
    for (const executionId of [undefined, '', ' ', 1, 'exec-002', 'EXEC-001', 'exec-0010', 'exec-00']) {
      expect(blamed(changed(GOOD_OUTPUT, { executionId }))).toEqual(['executionId'])
    }
    expect(parseAgentOutput(changed(GOOD_OUTPUT, { executionId: 'exec-002' })).ok).toBe(true)
  })

  verifies('BNDY-029', 'has succeeded, is blocked or has failed', () => {
    for (const status of ['done', 'SUCCEEDED', '', 1]) {
      expect(blamed(changed(GOOD_OUTPUT, { status }))).toEqual(['status'])
    }
    expect(blamed(changed(BLOCKED, { status: undefined }))).toEqual(['status'])
  })

  verifies('BNDY-030', 'is ok exactly when it has succeeded', () => {
    expect(blamed(changed(GOOD_OUTPUT, { ok: false }))).toEqual(['ok'])
    for (const output of [FAILED, BLOCKED]) {
      expect(blamed(output)).toEqual([])
      expect(blamed({ ...output, ok: true })).toEqual(['ok'])
    }
  })

  verifies('BNDY-031', 'needs no artifacts when it is blocked or has failed', () => {
    for (const output of [FAILED, BLOCKED]) {
      expect(blamed(output)).toEqual([])
      expect(blamed({ ...output, artifacts: [] })).toEqual([])
    }
  })

  verifies('BNDY-032', 'has valid artifacts or none, also when it is blocked or has failed', () => {
    for (const output of [FAILED, BLOCKED]) {
      expect(blamed({ ...output, artifacts: [ARTIFACT] })).toEqual([])
      const bad = changed(ARTIFACT, { dependsOnLedgerIds: ['led-999'] })
      expect(blamed({ ...output, artifacts: [bad] })).toEqual(['artifacts[0].dependsOnLedgerIds[0]'])
    }
  })

  verifies('BNDY-033', 'has an error of a known form, or none', () => {
    const error = { code: 'VALIDATION_ERROR', message: 'No.', retryable: false }
    for (const code of ERROR_CODES) expect(blamed({ ...FAILED, error: { ...error, code } })).toEqual([])
    expect(blamed({ ...FAILED, error: { code: 'X' } })).toEqual([
      'error.code',
      'error.message',
      'error.retryable',
    ])
    expect(blamed({ ...FAILED, error: { ...error, message: ' ' } })).toEqual(['error.message'])
    expect(blamed({ ...FAILED, error: { ...error, retryable: 'no' } })).toEqual(['error.retryable'])
    expect(blamed({ ...FAILED, error: { ...error, stack: 'x' } })).toEqual(['error.stack'])
    for (const other of [null, 'x', [error]]) expect(blamed({ ...FAILED, error: other })).toEqual(['error'])
  })

  verifies('BNDY-034', 'has diagnostics that are a JSON object, or none', () => {
    for (const diagnostics of ['x', [], null, 1]) {
      expect(blamed({ ...FAILED, diagnostics })).toEqual(['diagnostics'])
    }
    expect(blamed({ ...FAILED, diagnostics: {} })).toEqual([])
  })

  verifies('BNDY-035', 'has artifacts with all their parts', () => {
    for (const key of ['type', 'payload', 'dependsOnLedgerIds', 'metadata']) {
      expect(blamed(withArtifact({ [key]: undefined }))).toEqual([`artifacts[0].${key}`])
    }
    for (const payload of ['x', [], null])
      expect(blamed(withArtifact({ payload }))).toEqual(['artifacts[0].payload'])
    expect(blamed(withArtifact({ type: 'poem' }))).toEqual(['artifacts[0].type'])
    expect(blamed(withArtifact({ dependsOnLedgerIds: ['led-100', '', 1] }))).toEqual([
      'artifacts[0].dependsOnLedgerIds[1]',
      'artifacts[0].dependsOnLedgerIds[2]',
    ])
    expect(blamed(changed(GOOD_OUTPUT, { artifacts: [ARTIFACT, null] }))).toEqual(['artifacts[1]'])
  })

  verifies('BNDY-036', 'tells when each artifact was made', () => {
    for (const generatedAt of [undefined, 'yesterday', '2025-01-19', 1]) {
      expect(blamed(metadata({ generatedAt }))).toEqual(['artifacts[0].metadata.generatedAt'])
    }
  })

  verifies('BNDY-037', 'may tell the model and the tokens, rightly', () => {
    expect(blamed(metadata({ model: 'm', tokensUsed: 12.5 }))).toEqual([])
    expect(blamed(metadata({ model: 5 }))).toEqual(['artifacts[0].metadata.model'])
    for (const tokensUsed of ['9', Number.NaN, Number.POSITIVE_INFINITY, null]) {
      expect(blamed(metadata({ tokensUsed }))).toEqual(['artifacts[0].metadata.tokensUsed'])
    }
  })

  verifies('BNDY-038', 'has no key beyond the contract’s in an artifact or its metadata', () => {
    expect(blamed(withArtifact({ extra: 1 }))).toEqual(['artifacts[0].extra'])
    expect(blamed(metadata({ cost: 1 }))).toEqual(['artifacts[0].metadata.cost'])
  })

  verifies('BNDY-039', 'rests on nothing beyond the allowed lineage', () => {
    expect(blamed(withArtifact({ dependsOnLedgerIds: ['led-100'] }))).toEqual([])
    expect(blamed(withArtifact({ dependsOnLedgerIds: ['led-200', 'led-100'] }))).toEqual([])
    expect(blamed(withArtifact({ dependsOnLedgerIds: ['led-999'] }))).toEqual([
      'artifacts[0].dependsOnLedgerIds[0]',
    ])
    expect(blamed(withArtifact({ dependsOnLedgerIds: ['led-100', 'led-999'] }))).toEqual([
      'artifacts[0].dependsOnLedgerIds[1]',
    ])
    const many = Array.from({ length: 500 }, (_, at) => `led-${at}`)
    const input = changed(EXAMPLE_INPUT, { allowedLineage: { dependsOnLedgerIds: many } })
    expect(blamed(withArtifact({ dependsOnLedgerIds: many }), input)).toEqual([])
    expect(blamed(withArtifact({ dependsOnLedgerIds: [...many, 'led-500'] }), input)).toEqual([
      'artifacts[0].dependsOnLedgerIds[500]',
    ])
  })

  verifies('BNDY-044', 'that has succeeded has something to show', () => {
    for (const artifacts of [undefined, [], {}, null]) {
      expect(blamed(changed(GOOD_OUTPUT, { artifacts }))).toEqual(['artifacts'])
    }
  })

  verifies('BNDY-045', 'holds only types of artifact that were asked for', () => {
    expect(blamed(withArtifact({ type: 'copy' }))).toEqual(['artifacts[0].type'])
    const input = changed(EXAMPLE_INPUT, { allowedArtifactTypes: ['copy', 'site_plan'] })
    expect(blamed(withArtifact({ type: 'copy' }), input)).toEqual([])
  })

  verifies('BNDY-046', 'holds no artifact that rests on nothing', () => {
    expect(blamed(withArtifact({ dependsOnLedgerIds: [] }))).toEqual(['artifacts[0].dependsOnLedgerIds'])
  })

  verifies(['BNDY-047', 'BNDY-053'], 'has no key beyond its six: not even a coherence of its own', () => {
    expect(OUTPUT_KEYS).toEqual(['ok', 'executionId', 'status', 'artifacts', 'error', 'diagnostics'])
    expect(blamed({ ...GOOD_OUTPUT, extra: 1 })).toEqual(['extra'])
    expect(blamed({ ...GOOD_OUTPUT, coherenceStatus: 'coherent' })).toEqual(['coherenceStatus'])
    expect(blamed(JSON.parse(`{"__proto__": {}, ${JSON.stringify(GOOD_OUTPUT).slice(1)}`))).toEqual([
      '__proto__',
    ])
  })

  verifies('BNDY-048', 'carries nothing that JSON does not: it is refused, and told where', () => {
    for (const [kind, value] of Object.entries(unsafeValues())) {
      expect([kind, blamed(withArtifact({ payload: { bad: value } }))[0]]).toEqual([
        kind,
        expect.stringMatching(/^artifacts\[0\]\.payload\.bad/),
      ])
      expect(blamed({ ...FAILED, diagnostics: { bad: [value] } })[0]).toMatch(/^diagnostics\.bad/)
    }
    expect(blamed({ ...FAILED, diagnostics: undefined })).toEqual(['diagnostics'])
    expect(blamed({ ...FAILED, artifacts: undefined })).toEqual(['artifacts'])
  })

  verifies('BNDY-049', 'falls as a whole with one bad artifact', () => {
    const output = changed(GOOD_OUTPUT, { artifacts: [ARTIFACT, changed(ARTIFACT, { type: 'copy' })] })
    expect(checkExchange(EXAMPLE_INPUT, output)).toEqual({
      ok: false,
      code: 'MODEL_OUTPUT_INVALID',
      violations: [{ path: 'artifacts[1].type', message: 'is not in allowedArtifactTypes' }],
    })
  })

  verifies('BNDY-058', 'as the contract’s bad example is refused for both of its reasons', () => {
    expect(blamed(INVALID_OUTPUT).toSorted()).toEqual(['artifacts[0].dependsOnLedgerIds[0]', 'extra'])
  })

  verifies('BNDY-050', 'is told every fault, each with its path, and no value of anything', () => {
    const input = changed(EXAMPLE_INPUT, { intelligenceSnapshot: { secret: 'SENTINEL' } })
    const output = {
      ok: 'SENTINEL',
      executionId: 'SENTINEL',
      status: 'SENTINEL',
      artifacts: [
        { type: 'SENTINEL', payload: 'SENTINEL', dependsOnLedgerIds: ['SENTINEL'], metadata: 'SENTINEL' },
      ],
      error: 'SENTINEL',
      'SENTINEL is a sentence': 1,
    }
    const checked = checkExchange(input, output)
    expect(checked).toMatchObject({ ok: false, code: 'MODEL_OUTPUT_INVALID' })
    expect(blamed(output, input)).toEqual([
      'ok',
      'executionId',
      'status',
      'artifacts[0].type',
      'artifacts[0].payload',
      'artifacts[0].metadata',
      'artifacts[0].dependsOnLedgerIds[0]',
      'error',
      '*',
    ])
    expect(JSON.stringify(checked)).not.toContain('SENTINEL')
    expect(checkExchange({ ...input, tenantId: '' }, output)).toMatchObject({
      ok: false,
      code: 'VALIDATION_ERROR',
      violations: [{ path: 'tenantId' }],
    })
  })

  test('is refused, not thrown at, when it cannot even be looked at', () => {
    const trap = {
      ...GOOD_OUTPUT,
      get status(): string {
        throw new Error('no')
      },
    }
    expect(blamed(trap)).toEqual([''])
    for (const value of [undefined, null, 1, 'x', [], () => 1]) expect(blamed(value)).toEqual([''])
  })
})
