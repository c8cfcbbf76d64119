import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { flowChores } from '../../src/domains/flows/index.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { DATABASES, startTestHub, storeFlows, type TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { stepsOf, tool } from './bundles.ts'
import { ask, type Json } from './gate-hub.ts'

const TOOLS = ['tool_a', 'tool_b', 'tool_c'] as const
const DECLARED = ['tool_a', 'tool_b']
const VERSIONS = ['1.0.0', '1.1.0', '2.0.0']
const HOUR_SECONDS = 3_600
const RUNS = 80
/** So many different answers a run of this length comes across at least. */
const ANSWERS = 20
const DENIED = 'FLOW_EXTERNAL_GRANT_DENIED'

interface Kept {
  grant_id: string
  bearer: string
  version: string
  tools: string[]
  expires: number
  revoked: boolean
  /** It was refused as expired, which counts whatever the clock says later. */
  spent: boolean
  max: number
  count: number
  /** Cleaned away: nobody knows it any more. */
  gone: boolean
}

/** What the rules make of one vault, by our own reckoning. */
interface Model {
  now: number
  versions: Set<string>
  gate: boolean
  forbidden: boolean
  listed: string[]
  cap: number
  room: number
  grants: Kept[]
}

interface Real {
  hub: TestHub
  clock: { now?: Date }
  vault: string
  /** What was answered so far, by operation and code. */
  seen: Set<string>
}
type Command = fc.AsyncCommand<Model, Real>

const act = (name: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  run,
  toString: () => name,
})

const call = async ({ hub, vault, seen }: Real, name: string, input: object, bearer?: string) => {
  const presented = bearer === undefined ? undefined : { external_bearer: bearer }
  const told = await ask(hub, name, input, { way: 'direct', as: 'owner', vault, presented })
  seen.add(`${name} ${told.code}`)
  return told
}

function writeRules({ hub, vault }: Real, { gate, forbidden, listed, cap, room }: Model): void {
  const external_agent = {
    enabled: gate,
    forbidden,
    allowed_tools: listed,
    max_invocations: cap,
    allow_unlimited_invocations: true,
    max_live_grants: room,
  }
  hub.write(hub.home.vaultPolicy(vault), { external_agent })
}

const isOver = (model: Model, grant: Kept) => model.now > grant.expires
const EXPIRED = 'FLOW_EXTERNAL_GRANT_EXPIRED'
const closed = ({ forbidden, gate }: Model) =>
  forbidden ? 'FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN' : gate ? undefined : 'FLOW_EXTERNAL_AGENT_DISABLED'

function deadCode(model: Model, grant: Kept): string | undefined {
  if (grant.gone) return DENIED
  if (grant.revoked) return 'FLOW_EXTERNAL_GRANT_REVOKED'
  return grant.spent || isOver(model, grant) ? EXPIRED : undefined
}

/** The grants that have a place: one that was revoked, or refused as expired, has given its back. */
const placedIn = ({ grants }: Model) => grants.filter((one) => !one.gone && !one.revoked && !one.spent)

function mintCode(model: Model, version: string, tools: readonly string[]): string | undefined {
  const shut = closed(model)
  if (shut) return shut
  if (!model.versions.has(version)) return 'unknown_flow'
  if (tools.some((one) => !DECLARED.includes(one))) return 'FLOW_EXTERNAL_TOOL_UNKNOWN'
  if (tools.some((one) => !model.listed.includes(one))) return 'FLOW_EXTERNAL_TOOL_DENIED'
  const placed = placedIn(model)
  const staying = placed.filter((one) => !isOver(model, one))
  return placed.length < model.room || staying.length < model.room ? undefined : DENIED
}

function useCode(model: Model, grant: Kept, version: string, tool_id: string): string | undefined {
  const early = closed(model) ?? deadCode(model, grant)
  if (early) return early
  if (version !== grant.version) return 'FLOW_EXTERNAL_GRANT_FLOW_MISMATCH'
  if (!grant.tools.includes(tool_id)) return 'FLOW_EXTERNAL_GRANT_TOOL_DENIED'
  if (!model.listed.includes(tool_id)) return 'FLOW_EXTERNAL_TOOL_DENIED'
  if (!model.versions.has(version)) return DENIED
  return grant.max !== 0 && grant.count >= grant.max ? DENIED : undefined
}

function fetchCode(model: Model, grant: Kept, version: string): string | undefined {
  if (!model.gate) return 'FLOW_HARNESS_UNSUPPORTED'
  if (model.forbidden) return 'FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN'
  if (!model.versions.has(version)) return 'unknown_flow'
  const dead = deadCode(model, grant)
  if (dead) return dead
  if (version !== grant.version) return 'FLOW_EXTERNAL_GRANT_FLOW_MISMATCH'
  return grant.tools.every((one) => model.listed.includes(one)) ? undefined : 'FLOW_EXTERNAL_TOOL_DENIED'
}

// Mostly what can succeed, so that a run gets somewhere.
const version = fc.constantFrom(...Array.from({ length: 8 }, () => '1.0.0'), ...VERSIONS)
const toolSet = fc.constantFrom(['tool_a'], ['tool_b'], DECLARED, DECLARED, DECLARED, ['tool_a', 'tool_c'])
const pick = fc.nat(20)
const picked = ({ grants }: Model, at: number) => grants[at % Math.max(grants.length, 1)]

const minting = fc
  .tuple(version, toolSet, fc.constantFrom(30, 600, HOUR_SECONDS))
  .map(([pinned, tools, ttl_seconds]) =>
    act(`mint ${pinned} ${tools} for ${ttl_seconds} s`, async (model, real) => {
      const input = { flow_id: 'flow_model', flow_version: pinned, requested_tools: tools, ttl_seconds }
      const told = await call(real, 'flow_external_grant_mint', input)
      expect(told.code).toBe(mintCode(model, pinned, tools))
      if (told.code !== undefined) return
      const isFull = placedIn(model).length >= model.room
      if (isFull) for (const one of model.grants) one.gone ||= isOver(model, one)
      const { grant_id, allowed_tools } = told.body.grant
      const expires = model.now + ttl_seconds * 1_000
      const { cap: max } = model
      model.grants.push({
        grant_id,
        bearer: told.body.bearer,
        version: pinned,
        tools: allowed_tools,
        expires,
        revoked: false,
        spent: false,
        max,
        count: 0,
        gone: false,
      })
    }),
  )

const using = fc
  .tuple(pick, version, fc.constantFrom(...DECLARED, ...DECLARED, ...TOOLS))
  .map(([at, named, tool_id]) =>
    act(`use ${at} for ${named} ${tool_id}`, async (model, real) => {
      const grant = picked(model, at)
      if (!grant) return
      const question = { flow_id: 'flow_model', flow_version: named, tool_id }
      const code = useCode(model, grant, named, tool_id)
      const { body } = await call(real, 'explain', { ...question, grant_id: grant.grant_id })
      expect(body.code ?? undefined).toBe(code)
      const told = await call(real, 'flow_external_tool_invoke', question, grant.bearer)
      expect(told.code).toBe(code)
      if (told.code === undefined) grant.count++
      grant.spent ||= told.code === EXPIRED
    }),
  )

const fetching = fc.tuple(pick, version).map(([at, named]) =>
  act(`fetch ${named} with ${at}`, async (model, real) => {
    const grant = picked(model, at)
    if (!grant) return
    const input = { flow_id: 'flow_model', version: named, harness: 'agent_bundle' }
    const told = await call(real, 'flow_project', input, grant.bearer)
    expect(told.code).toBe(fetchCode(model, grant, named))
    grant.spent ||= told.code === EXPIRED
  }),
)

const revoking = pick.map((at) =>
  act(`revoke ${at}`, async (model, real) => {
    const grant = picked(model, at)
    if (!grant) return
    const told = await call(real, 'flow_external_grant_revoke', { grant_id: grant.grant_id })
    expect(told.code).toBe(grant.gone ? 'unknown_grant' : undefined)
    grant.revoked ||= !grant.gone
  }),
)

const bumping = fc.constantFrom(...VERSIONS).map((next) =>
  act(`approve ${next}`, async (model, { hub, vault }) => {
    model.versions.add(next)
    await storeFlows(hub.hub, vault, [flowAt(next)])
  }),
)

const withdraw = sql('DELETE FROM flow_versions WHERE vault_id = ? AND version = ? AND flow_id = ?')
const withdrawing = fc.constantFrom(...VERSIONS).map((gone) =>
  act(`withdraw ${gone}`, async (model, { hub, vault }) => {
    model.versions.delete(gone)
    await hub.hub.db.transaction((tx) => tx.run(withdraw, vault, gone, 'flow_model'))
  }),
)

const change: fc.Arbitrary<Partial<Model>> = fc.oneof(
  fc.record({ listed: fc.constantFrom<string[][]>([...TOOLS], [...TOOLS], ['tool_a'], ['tool_b'], []) }),
  fc.record({ gate: fc.constantFrom(true, true, false) }),
  fc.record({ forbidden: fc.constantFrom(false, false, true) }),
  fc.record({ cap: fc.constantFrom(0, 1, 2, 100) }),
  fc.record({ room: fc.constantFrom(1, 3, 100) }),
)
const ruling = change.map((changed) =>
  act(`policy ${JSON.stringify(changed)}`, async (model, real) => {
    Object.assign(model, changed)
    writeRules(real, model)
  }),
)

const jumping = fc
  .constantFrom(1, 29, 31, 599, HOUR_SECONDS, 2 * HOUR_SECONDS, -30, -HOUR_SECONDS, -10 * HOUR_SECONDS)
  .map((seconds) =>
    act(`clock ${seconds} s`, async (model, { clock }) => {
      model.now += seconds * 1_000
      clock.now = new Date(model.now)
    }),
  )

const purging = fc.constant(
  act('purge', async (model, { hub }) => {
    for (const { run } of flowChores) await run(hub.hub)
    for (const one of model.grants) one.gone ||= one.expires < model.now - HOUR_SECONDS * 1_000
  }),
)

function flowAt(number: string) {
  return stepsOf('flow_model', { version: number }, [{ skill_refs: DECLARED.map(tool) }])
}

/** The store says of each grant what the model says, and shows no other. */
async function checkStore(model: Model, real: Real): Promise<void> {
  writeRules(real, { ...model, gate: true, forbidden: false })
  const { body } = await call(real, 'flow_external_grant_list', {})
  const shown = body.grants.map((one: Json) => [one.grant_id, one.invocation_count, one.revoked_at !== null])
  const kept = model.grants.filter((one) => !one.gone)
  const expected = kept.map((one) => [one.grant_id, one.count, one.revoked] as const)
  expect(new Map(shown.map((one: Json[]) => [one[0], one]))).toEqual(
    new Map(expected.map((one) => [one[0], one])),
  )
}

describe.each(DATABASES)('the life of grants on %s', (database) => {
  verifies(
    ['GATE-049', 'GATE-055', 'GATE-057', 'GATE-059', 'GATE-063', 'GATE-064', 'GATE-105', 'GATE-179'],
    'is as the rules say, whatever happens in whatever order',
    async () => {
      const clock: { now?: Date } = {}
      await using hub = await startTestHub({ database, clock })
      let runs = 0
      const seen = new Set<string>()
      const often = [using, using, using, using, using, minting, minting, fetching, fetching, ruling, jumping]
      const some = [...often, jumping, revoking, bumping, withdrawing, purging]
      await fc.assert(
        fc.asyncProperty(fc.commands(some, { maxCommands: 60, size: '+2' }), async (commands) => {
          const start = Date.parse('2026-11-15T08:00:00Z')
          const model: Model = {
            now: start,
            versions: new Set(['1.0.0']),
            gate: true,
            forbidden: false,
            listed: [...TOOLS],
            cap: 100,
            room: 100,
            grants: [],
          }
          const real = { hub, clock, seen, vault: `model-${++runs}` }
          clock.now = new Date(start)
          writeRules(real, model)
          await storeFlows(hub.hub, real.vault, [flowAt('1.0.0')])
          await fc.asyncModelRun(() => ({ model, real }), commands)
          await checkStore(model, real)
        }),
        { numRuns: RUNS },
      )
      expect(seen.size).toBeGreaterThan(ANSWERS)
    },
    120_000,
  )
})
