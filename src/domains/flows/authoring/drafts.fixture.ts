import type { Scope } from '../bundle/bundle-vocabulary.ts'
import type { FlowBundle, FlowStep } from '../bundle/flow-record.ts'
import { sampleBundle } from '../bundle/sample-bundle.fixture.ts'
import { flowStateId } from '../bundle/state-id.ts'
import type { Ask, FlowHub, Said } from '../flow-hub.fixture.ts'

interface Choice {
  flow_id?: string
  version?: string
  scope?: Scope
  step_count?: number
  step?: Partial<FlowStep>
}

/** A valid draft: the sample flow under another id, in another version or scope, with other steps. */
export function draft(choice: Choice = {}): FlowBundle {
  const { flow_id = 'flow_own', version = '1.0.0', scope = 'personal', step_count = 1, step = {} } = choice
  const { flow, steps } = sampleBundle(step_count, { skill_refs: [], ...step })
  return {
    flow: { ...flow, flow_id, version, scope, steps: steps.map(({ ordinal }) => `${flow_id}#${ordinal}`) },
    steps: steps.map((one) => ({ ...one, flow_id, step_id: `${flow_id}#${one.ordinal}` })),
  }
}

/** Steps that need no person, so that their flow could pass by itself. */
export const UNATTENDED: Partial<FlowStep> = {
  verification: { kind: 'artifact_exists', evidence_required: true, description: 'The file is there.' },
}

/** A reference to an external tool. */
export function uses(...ids: string[]): Partial<FlowStep> {
  return { skill_refs: ids.map((id) => ({ kind: 'external_tool', id })) }
}

/** Proposes a draft as a new flow. */
export function propose(hub: FlowHub, bundle: FlowBundle, how?: Ask): Promise<Said> {
  return hub.ask('flow_propose', { ...bundle, intent: 'It helps.' }, how)
}

/** Proposes a draft as the next version after a base. */
export function proposeEdit(hub: FlowHub, base: FlowBundle, bundle: FlowBundle, how?: Ask): Promise<Said> {
  const { flow_id, version } = base.flow
  const naming = { flow_id, base_version: version, base_state_id: flowStateId(base.flow, base.steps) }
  return hub.ask('flow_propose_edit', { ...naming, ...bundle, intent: 'It is better.' }, how)
}

export function importBundle(hub: FlowHub, bundle: unknown, how?: Ask): Promise<Said> {
  return hub.ask('flow_import', { bundle, intent: 'Others use it.' }, how)
}

export function approve(hub: FlowHub, proposed: Said, how?: Ask): Promise<Said> {
  return hub.ask('proposal_approve', { proposal_id: proposed.body.proposal_id }, how)
}

/** Makes a draft a flow, by way of a proposal. */
export async function publish(hub: FlowHub, bundle: FlowBundle, how?: Ask): Promise<FlowBundle> {
  const approved = await approve(
    hub,
    await propose(hub, bundle, how),
    how && { ...how, as: 'admin/reviewer' },
  )
  if (approved.status !== 200) throw new Error(approved.text)
  return bundle
}

/** How many proposals there are, whatever became of them. */
export async function countProposals(hub: FlowHub, how?: Ask): Promise<number> {
  return (await hub.ask('proposal_list', { limit: 200 }, how)).body.proposals.length
}
