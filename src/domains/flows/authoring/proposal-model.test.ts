import fc from 'fast-check'
import { expect } from 'vitest'
import { verifies } from '../../../../test/requirements/verifies.ts'
import { sql } from '../../../platform/storage/database.ts'
import type { FlowBundle } from '../bundle/flow-record.ts'
import { compareVersions } from '../bundle/semver.ts'
import { type FlowHub, openFlowHub, type Said } from '../flow-hub.fixture.ts'
import { draft, importBundle, propose, proposeEdit } from './drafts.fixture.ts'

/** What must be true, kept beside the hub by rules of our own. */
interface Model {
  proposals: Kept[]
  /** The approved versions of the one flow, oldest first, with the bytes they were first read as. */
  versions: { bundle: FlowBundle; text: string }[]
}
interface Kept {
  proposal_id: string
  bundle: FlowBundle
  base: FlowBundle | undefined
  status: 'proposed' | 'approved' | 'discarded'
  evaluation: 'none' | 'pass' | 'fail'
}
type Command = fc.AsyncCommand<Model, FlowHub>

// Mostly people who may do what they try, so that a run gets somewhere.
const ROLES = ['viewer', 'editor', 'evaluator', 'admin', 'admin', 'admin', 'admin'] as const
type Role = (typeof ROLES)[number]
const versions = fc.constantFrom('1.0.0', '1.1.0', '1.2.0', '2.0.0')
const jobs = fc.constantFrom('Look back', 'Look ahead')

const bundleOf = (version: string, owned_job: string) => draft({ version, step: { owned_job } })
const writes = (role: Role) => role === 'editor' || role === 'admin'
const kept = (said: Said, bundle: FlowBundle, base?: FlowBundle): Kept => ({
  proposal_id: said.body.proposal_id,
  bundle,
  base,
  status: 'proposed',
  evaluation: 'none',
})

/** A command by what the model expects of it. `expect` answers the code, or null when it must succeed. */
function command(name: string, act: (model: Model, hub: FlowHub) => Promise<void>): Command {
  return { check: () => true, run: act, toString: () => name }
}

const proposing = fc.tuple(versions, jobs, fc.constantFrom(...ROLES)).map(([version, job, role]) =>
  command(`propose ${version} as ${role}`, async (model, hub) => {
    const bundle = bundleOf(version, job)
    const said = await propose(hub, bundle, { as: role })
    const refused = !writes(role)
      ? 'FLOW_SCOPE_DENIED'
      : model.versions.length
        ? 'FLOW_LINEAGE_CONFLICT'
        : null
    expect(said.code).toBe(refused)
    if (!refused) model.proposals.push(kept(said, bundle))
  }),
)

const editing = fc
  .tuple(versions, jobs, fc.constantFrom(...ROLES), fc.nat(3))
  .map(([version, job, role, pick]) =>
    command(`edit #${pick} to ${version} as ${role}`, async (model, hub) => {
      const base = model.versions.at(-1 - (pick % Math.max(model.versions.length, 1)))?.bundle ?? draft()
      const bundle = bundleOf(version, job)
      const said = await proposeEdit(hub, base, bundle, { as: role })
      expect(said.code).toBe(editRefusal(model, role, base, bundle))
      if (said.code === null) model.proposals.push(kept(said, bundle, base))
    }),
  )

function editRefusal(model: Model, role: Role, base: FlowBundle, next: FlowBundle): string | null {
  if (model.versions.length === 0) return 'unknown_flow'
  if (!writes(role)) return 'FLOW_SCOPE_DENIED'
  if (compareVersions(next.flow.version, base.flow.version) <= 0) return 'FLOW_DRAFT_INVALID'
  return model.versions.at(-1)?.bundle === base ? null : 'FLOW_LINEAGE_CONFLICT'
}

const importing = fc.tuple(versions, jobs, fc.constantFrom(...ROLES)).map(([version, job, role]) =>
  command(`import ${version} as ${role}`, async (model, hub) => {
    const bundle = bundleOf(version, job)
    const said = await importBundle(hub, bundle, { as: role })
    const same = model.versions.some((one) => JSON.stringify(one.bundle) === JSON.stringify(bundle))
    const taken = model.versions.length > 0 && !same ? 'FLOW_LINEAGE_CONFLICT' : null
    expect(said.code).toBe(writes(role) ? taken : 'FLOW_IMPORT_SCOPE_DENIED')
    if (said.code === null) model.proposals.push(kept(said, bundle))
  }),
)

const choice = fc.tuple(fc.nat(20), fc.constantFrom(...ROLES))
const picked = (model: Model, pick: number) => model.proposals[pick % Math.max(model.proposals.length, 1)]

const evaluating = fc
  .tuple(choice, fc.constantFrom('pass' as const, 'fail' as const))
  .map(([[pick, role], outcome]) =>
    command(`evaluate ${pick} ${outcome} as ${role}`, async (model, hub) => {
      const one = picked(model, pick)
      if (!one) return
      const input = { proposal_id: one.proposal_id, outcome, comment: 'Seen.' }
      const may = role === 'evaluator' || role === 'admin'
      const open = one.status === 'proposed' ? null : 'FLOW_PROPOSAL_NOT_OPEN'
      const { code } = await hub.ask('proposal_evaluate', input, { as: `${role}/reviewer` })
      expect(code).toBe(may ? open : 'FORBIDDEN')
      if (code === null) one.evaluation = outcome
    }),
  )

const approving = fc.tuple(choice, fc.boolean()).map(([[pick, role], waived]) =>
  command(`approve ${pick} as ${role}`, async (model, hub) => {
    const one = picked(model, pick)
    if (!one) return
    const input = { proposal_id: one.proposal_id, ...(waived && { waiver_reason: 'needed' }) }
    const { code } = await hub.ask('proposal_approve', input, { as: `${role}/reviewer` })
    expect(code).toBe(approveRefusal(model, one, role, waived))
    if (code !== null) return
    one.status = 'approved'
    const { version } = one.bundle.flow
    const { text } = await hub.ask('flow_get', { flow_id: 'flow_own', version })
    model.versions.push({ bundle: one.bundle, text })
  }),
)

function approveRefusal(model: Model, one: Kept, role: Role, waived: boolean): string | null {
  if (role !== 'admin') return 'FORBIDDEN'
  if (one.status !== 'proposed') return 'FLOW_PROPOSAL_NOT_OPEN'
  if (one.evaluation === 'fail' && !waived) return 'EVALUATION_REQUIRED'
  return model.versions.at(-1)?.bundle === one.base ? null : 'FLOW_LINEAGE_CONFLICT'
}

const discarding = choice.map(([pick, role]) =>
  command(`discard ${pick} as ${role}`, async (model, hub) => {
    const one = picked(model, pick)
    if (!one) return
    const { code } = await hub.ask('proposal_discard', { proposal_id: one.proposal_id }, { as: role })
    const open = one.status === 'proposed' ? null : 'FLOW_PROPOSAL_NOT_OPEN'
    expect(code).toBe(role === 'admin' ? open : 'FORBIDDEN')
    if (code === null) one.status = 'discarded'
  }),
)

/** Nothing half written: the store holds exactly what the model says, and old versions are as they were. */
async function checkStore(model: Model, hub: FlowHub): Promise<void> {
  const { db } = hub.hub
  const stored = await db.all(
    sql<{ version: string }>(`SELECT version FROM flow_versions WHERE flow_id = 'flow_own' ORDER BY version`),
  )
  expect(stored.map(({ version }) => version)).toEqual(
    model.versions.map(({ bundle }) => bundle.flow.version).toSorted(),
  )
  const taken = await db.all(sql<{ base_version: string }>('SELECT base_version FROM flow_successions'))
  expect(taken).toHaveLength(model.versions.length)
  for (const { bundle, text } of model.versions) {
    const { version } = bundle.flow
    expect((await hub.ask('flow_get', { flow_id: 'flow_own', version })).text).toBe(text)
  }
  const { proposals } = (await hub.ask('proposal_list', { limit: 200 })).body
  const states = new Map(proposals.map((one: Said['body']) => [one.proposal_id, one.status]))
  expect(states).toEqual(new Map(model.proposals.map((one) => [one.proposal_id, one.status])))
}

verifies(
  ['FLOW-066', 'FLOW-067', 'FLOW-068'],
  'whatever the roles do in whatever order, versions stay, and each base has one successor at most',
  async () => {
    const some = [proposing, editing, importing, evaluating, approving, discarding]
    await fc.assert(
      fc.asyncProperty(fc.commands(some, { maxCommands: 30, size: '+1' }), async (commands) => {
        const hub = await openFlowHub()
        const model: Model = { proposals: [], versions: [] }
        try {
          await fc.asyncModelRun(() => ({ model, real: hub }), commands)
          await checkStore(model, hub)
        } finally {
          await hub.close()
        }
      }),
      { numRuns: 25 },
    )
  },
  120_000,
)
