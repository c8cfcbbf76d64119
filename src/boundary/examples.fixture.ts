import type { AgentArtifact, AgentInput, AgentOutput } from './contract.ts'

/** The valid input that the contract gives as an example. */
export const EXAMPLE_INPUT: AgentInput = {
  tenantId: 't-001',
  robotId: 'r-001',
  executionId: 'exec-001',
  attempt: 1,
  workflowVersion: 'v1',
  agentVersion: 'v1',
  boundaryContractVersion: 'v1',
  runMode: 'dry_run',
  snapshotAt: '2025-01-19T10:00:00.000Z',
  coherenceStatus: 'coherent',
  constraints: { tone: 'professional' },
  objective: { type: 'site_plan', action: 'plan', payload: { site: 'example.com' } },
  intelligenceSnapshot: { signals: [], fusion: {} },
  allowedLineage: { dependsOnLedgerIds: ['led-100', 'led-200'] },
  allowedArtifactTypes: ['site_plan'],
  outputSchemaVersion: 'v1',
}

/** The invalid output that the contract gives as an example. */
export const INVALID_OUTPUT = {
  ok: true,
  executionId: 'exec-001',
  status: 'succeeded',
  artifacts: [
    {
      type: 'site_plan',
      payload: { plan: '...' },
      dependsOnLedgerIds: ['led-999'],
      metadata: { generatedAt: '2025-01-19T10:05:00.000Z' },
    },
  ],
  extra: 'not allowed',
} as const

export const ARTIFACT: AgentArtifact = {
  type: 'site_plan',
  payload: { plan: '...' },
  dependsOnLedgerIds: ['led-100'],
  metadata: { generatedAt: '2025-01-19T10:05:00.000Z' },
}

/** A sound answer to the example. */
export const GOOD_OUTPUT: AgentOutput = {
  ok: true,
  executionId: 'exec-001',
  status: 'succeeded',
  artifacts: [ARTIFACT],
}

/** A copy with some members replaced; one that is set to `undefined` is left out. */
export function changed(value: object, changes: Record<string, unknown>): Record<string, unknown> {
  const members = Object.entries({ ...value, ...changes }).filter(
    ([key]) => !(Object.hasOwn(changes, key) && changes[key] === undefined),
  )
  return Object.fromEntries(members)
}

/** A sound answer whose one artifact is changed. */
export function withArtifact(changes: Record<string, unknown>): Record<string, unknown> {
  return changed(GOOD_OUTPUT, { artifacts: [changed(ARTIFACT, changes)] })
}

/** Values of every kind that JSON drops, changes or cannot write. */
export function unsafeValues(): Record<string, unknown> {
  const cyclic: Record<string, unknown> = {}
  cyclic.self = { cyclic }
  return {
    function: () => 1,
    undefined,
    symbol: Symbol('s'),
    'symbol key': { [Symbol('k')]: 1 },
    bigint: 1n,
    NaN: Number.NaN,
    Infinity: Number.POSITIVE_INFINITY,
    cyclic,
    date: new Date(0),
    map: new Map([['a', 1]]),
    instance: new (class Thing {
      a = 1
    })(),
    'array with a gap': Array.from({ length: 2 }, (_, at) => at).concat(Object.assign([], { length: 1 })),
    'array with a name': Object.assign([1], { name: 'x' }),
    'boxed string': Object('x'),
    'half of a surrogate pair': 'a \ud83d',
    'half of a surrogate pair as a key': { '\udc00': 1 },
  }
}
