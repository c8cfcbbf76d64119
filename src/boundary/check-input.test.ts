import { describe, expect, test } from 'vitest'
import { verifies } from '../../test/requirements/verifies.ts'
import { INPUT_KEYS, parseAgentInput } from './check-input.ts'
import { ARTIFACT_TYPES } from './contract.ts'
import { changed, EXAMPLE_INPUT, unsafeValues } from './examples.fixture.ts'

/** The paths that are blamed in the example with these changes. */
function blamed(changes: Record<string, unknown>): string[] {
  const checked = parseAgentInput(changed(EXAMPLE_INPUT, changes))
  if (checked.ok) return []
  expect(checked.code).toBe('VALIDATION_ERROR')
  return checked.violations.map(({ path }) => path)
}

const objective = (changes: Record<string, unknown>) => ({
  objective: changed(EXAMPLE_INPUT.objective, changes),
})
const lineage = (dependsOnLedgerIds: unknown) => ({ allowedLineage: { dependsOnLedgerIds } })

const TEXTS = [
  ['BNDY-005', 'tenantId'],
  ['BNDY-006', 'robotId'],
  ['BNDY-007', 'executionId'],
  ['BNDY-008', 'workflowVersion'],
  ['BNDY-009', 'agentVersion'],
  ['BNDY-010', 'outputSchemaVersion'],
] as const

describe('an input', () => {
  verifies('BNDY-057', 'as the contract gives it is valid, and stays as it was', () => {
    const before = JSON.stringify(EXAMPLE_INPUT)
    expect(parseAgentInput(EXAMPLE_INPUT)).toEqual({ ok: true, value: EXAMPLE_INPUT })
    expect(JSON.stringify(EXAMPLE_INPUT)).toBe(before)
  })

  for (const [rule, key] of TEXTS) {
    verifies(rule, `needs a ${key} that says something`, () => {
      for (const value of [undefined, '', ' ', '\n\t', '\u00a0', '\u3000\u2028', 1, null, {}, ['a']]) {
        expect(blamed({ [key]: value })).toEqual([key])
      }
      for (const value of ['ü 漢 x', '漢', '\u00a0x']) expect(blamed({ [key]: value })).toEqual([])
    })
  }

  verifies('BNDY-011', 'counts attempts from 1, in whole numbers', () => {
    for (const attempt of [undefined, 0, -1, 1.5, '1', Number.NaN, 2 ** 53, null, true]) {
      expect(blamed({ attempt })).toEqual(['attempt'])
    }
    for (const attempt of [1, 2, 1_000]) expect(blamed({ attempt })).toEqual([])
  })

  verifies('BNDY-012', 'names version v1 of the contract', () => {
    for (const boundaryContractVersion of [undefined, 'v2', 'V1', 'v1 ', '', 1]) {
      expect(blamed({ boundaryContractVersion })).toEqual(['boundaryContractVersion'])
    }
  })

  verifies('BNDY-013', 'is a dry run or an execution', () => {
    for (const runMode of [undefined, 'live', 'EXECUTE', '', 0])
      expect(blamed({ runMode })).toEqual(['runMode'])
    for (const runMode of ['dry_run', 'execute']) expect(blamed({ runMode })).toEqual([])
  })

  verifies('BNDY-014', 'tells the moment of its snapshot in strict ISO 8601, with a zone', () => {
    const wrong = [
      undefined,
      'Jan 19 2025',
      '2025-13-01T00:00:00Z',
      '2025-00-01T00:00:00Z',
      '2025-02-29T00:00:00Z',
      '1900-02-29T00:00:00Z',
      '2025-04-31T00:00:00Z',
      '2025-01-19',
      '2025-01-19T10:00:00',
      '2025-01-19T10:00Z',
      '2025-01-19 10:00:00Z',
      '2025-01-19t10:00:00z',
      '2025-01-19T24:00:00Z',
      '2025-01-19T10:60:00Z',
      '2025-01-19T10:00:60Z',
      '2025-01-19T10:00:00.Z',
      '2025-01-19T10:00:00.0000000001Z',
      '2025-01-19T10:00:00+0100',
      '2025-01-19T10:00:00+24:00',
      '+002025-01-19T10:00:00Z',
      ' 2025-01-19T10:00:00Z',
      '2025-01-19T10:00:00Z\n',
      '٢٠٢٥-01-19T10:00:00Z',
      1_737_280_800_000,
    ]
    for (const snapshotAt of wrong)
      expect([snapshotAt, blamed({ snapshotAt })]).toEqual([snapshotAt, ['snapshotAt']])
    const right = ['2024-02-29T23:59:59Z', '2000-02-29T00:00:00.123456789+05:45', '2025-12-31T00:00:00-23:59']
    for (const snapshotAt of right) expect([snapshotAt, blamed({ snapshotAt })]).toEqual([snapshotAt, []])
  })

  verifies('BNDY-015', 'is coherent, partial or stale', () => {
    for (const coherenceStatus of [undefined, 'ok', 'Stale', null]) {
      expect(blamed({ coherenceStatus })).toEqual(['coherenceStatus'])
    }
    for (const coherenceStatus of ['coherent', 'partial', 'stale'])
      expect(blamed({ coherenceStatus })).toEqual([])
  })

  verifies('BNDY-016', 'has constraints that are a JSON object', () => {
    for (const constraints of [undefined, [], null, 'x', 1, new Date()]) {
      expect(blamed({ constraints })).toEqual(['constraints'])
    }
    expect(blamed({ constraints: {} })).toEqual([])
  })

  verifies('BNDY-017', 'has an objective of a known type', () => {
    for (const type of [undefined, 'blog', 'SITE_PLAN', null])
      expect(blamed(objective({ type }))).toEqual(['objective.type'])
    for (const type of ['site_plan', 'landing_plan', 'paid_media_plan', 'seo_cluster', 'campaign_plan']) {
      expect(blamed(objective({ type }))).toEqual([])
    }
  })

  verifies('BNDY-018', 'has an objective with a known action', () => {
    for (const action of [undefined, 'publish', '', 1]) {
      expect(blamed(objective({ action }))).toEqual(['objective.action'])
    }
    for (const action of ['plan', 'draft', 'apply']) expect(blamed(objective({ action }))).toEqual([])
  })

  verifies('BNDY-019', 'has an objective whose payload is a JSON object', () => {
    for (const payload of [undefined, 'x', [], null, 1]) {
      expect(blamed(objective({ payload }))).toEqual(['objective.payload'])
    }
    expect(blamed(objective({ payload: {} }))).toEqual([])
  })

  verifies('BNDY-020', 'has a snapshot that is a JSON object', () => {
    for (const intelligenceSnapshot of [undefined, [], null, 'x', 5]) {
      expect(blamed({ intelligenceSnapshot })).toEqual(['intelligenceSnapshot'])
    }
  })

  verifies('BNDY-021', 'allows a lineage of at least one id, and drops no blank one silently', () => {
    const path = 'allowedLineage.dependsOnLedgerIds'
    for (const ids of [[], 'led-100', undefined]) expect(blamed(lineage(ids))).toEqual([path])
    for (const bad of ['', ' ', 1, null, undefined]) expect(blamed(lineage([bad]))).toEqual([`${path}[0]`])
    expect(blamed(lineage(['led-100', ' ', 'led-200', '']))).toEqual([`${path}[1]`, `${path}[3]`])
    expect(blamed({ allowedLineage: ['led-100'] })).toEqual(['allowedLineage'])
  })

  verifies('BNDY-022', 'allows at least one type of artifact', () => {
    for (const types of [undefined, [], 'site_plan']) {
      expect(blamed({ allowedArtifactTypes: types })).toEqual(['allowedArtifactTypes'])
    }
    expect(blamed({ allowedArtifactTypes: ['site_plan', 'poem'] })).toEqual(['allowedArtifactTypes[1]'])
  })

  verifies('BNDY-023', 'knows seven types of artifact, and objectives are none', () => {
    expect(ARTIFACT_TYPES).toEqual([
      'idea',
      'copy',
      'playbook',
      'task',
      'site_plan',
      'seo_cluster',
      'paid_plan',
    ])
    for (const type of ARTIFACT_TYPES) expect(blamed({ allowedArtifactTypes: [type] })).toEqual([])
    for (const type of ['landing_plan', 'campaign_plan', 'paid_media_plan', 'Idea', 1, null]) {
      expect(blamed({ allowedArtifactTypes: [type] })).toEqual(['allowedArtifactTypes[0]'])
    }
  })

  verifies('BNDY-025', 'has no key beyond the contract’s, at the top or below', () => {
    expect(blamed({ chatHistory: [] })).toEqual(['chatHistory'])
    expect(blamed({ chatHistory: [], memory: 1, tenantId: 1 })).toEqual(['tenantId', 'chatHistory', 'memory'])
    expect(blamed(objective({ note: 'x' }))).toEqual(['objective.note'])
    expect(blamed({ allowedLineage: { dependsOnLedgerIds: ['a'], extra: 1 } })).toEqual([
      'allowedLineage.extra',
    ])
    expect(parseAgentInput(JSON.parse('{"__proto__": 1}'))).toMatchObject({ ok: false })
  })

  verifies('BNDY-026', 'needs each of its sixteen fields', () => {
    expect(INPUT_KEYS).toHaveLength(16)
    expect(INPUT_KEYS).toEqual(Object.keys(EXAMPLE_INPUT))
    for (const key of INPUT_KEYS) {
      expect(blamed({ [key]: undefined })).toEqual([key])
      // A key that is there without a value is as good as none.
      const empty = parseAgentInput({ ...EXAMPLE_INPUT, [key]: undefined })
      expect(empty.ok ? [] : empty.violations.map(({ path }) => path)).toEqual([key])
    }
    const nothing = parseAgentInput({})
    expect(nothing.ok ? [] : nothing.violations.map(({ path }) => path)).toEqual([...INPUT_KEYS])
  })

  verifies('BNDY-048', 'carries nothing that JSON does not: it is refused, and told where', () => {
    for (const [kind, value] of Object.entries(unsafeValues())) {
      expect([kind, blamed({ constraints: { deep: { bad: value } } })[0]]).toEqual([
        kind,
        expect.stringMatching(/^constraints\.deep\.bad/),
      ])
      expect(blamed(objective({ payload: { list: [1, value] } }))[0]).toMatch(
        /^objective\.payload\.list\[1\]/,
      )
    }
  })

  verifies('BNDY-050', 'tells no key or value of its snapshot, whatever is wrong in it', () => {
    for (const value of Object.values(unsafeValues())) {
      const checked = parseAgentInput(
        changed(EXAMPLE_INPUT, { tenantId: 1, intelligenceSnapshot: { SENTINEL_KEY: value, x: 'SENTINEL' } }),
      )
      expect(checked).toMatchObject({
        ok: false,
        violations: [{ path: 'tenantId' }, { path: 'intelligenceSnapshot' }],
      })
      expect(JSON.stringify(checked)).not.toContain('SENTINEL')
    }
  })

  test('is refused, not thrown at, when it cannot even be looked at', () => {
    const trap = Object.defineProperty({}, 'tenantId', {
      enumerable: true,
      get() {
        throw new Error('no')
      },
    })
    expect(parseAgentInput(trap)).toMatchObject({ ok: false, violations: [{ path: '' }] })
    for (const value of [undefined, null, 1, 'x', [], () => 1, new Proxy([], {})]) {
      expect(parseAgentInput(value)).toMatchObject({ ok: false, code: 'VALIDATION_ERROR' })
    }
  })

  test('cannot take a field from its prototype', () => {
    const { tenantId: _, ...rest } = EXAMPLE_INPUT
    expect(parseAgentInput(Object.assign(Object.create({ tenantId: 't' }), rest))).toMatchObject({
      ok: false,
    })
    expect(parseAgentInput(Object.assign(Object.create(null), EXAMPLE_INPUT))).toMatchObject({ ok: true })
  })
})
