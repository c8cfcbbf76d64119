import { draft } from '../../src/domains/flows/authoring/drafts.fixture.ts'
import type { FlowBundle } from '../../src/domains/flows/bundle/flow-record.ts'

/** A flow as people write them, in two versions: the second one gives a boundary up and uses one tool more. */
export function digestFlow(version: '1.0.0' | '1.1.0'): FlowBundle {
  const isNext = version === '1.1.0'
  const bundle = draft({ flow_id: 'flow_weekly_digest', version, step_count: 3 })
  const [collect, write, send] = bundle.steps
  if (!collect || !write || !send) throw new Error('The flow has three steps.')
  bundle.flow.title = 'Weekly digest'
  bundle.flow.summary = 'Tell the readers each Friday what changed in the garden.'
  Object.assign(collect, {
    owned_job: 'Collect what changed',
    instruction: isNext
      ? 'Read the orders and the weather of the week. Open each source before you rely on it.'
      : 'Read the orders of the week. Open each source before you rely on it.',
    trigger: 'It is Friday morning.',
    boundaries: ['A source counts only if it was opened.'],
    skill_refs: isNext ? usedTools('plain', 'weather') : usedTools('plain'),
  })
  Object.assign(write, {
    owned_job: 'Write the digest',
    instruction: 'Five lines at most, the largest change first.',
    trigger: 'The changes are collected.',
    boundaries: ['Name no customer.'],
    skill_refs: [],
  })
  Object.assign(send, {
    owned_job: 'Send it',
    instruction: 'Send it to the editor.',
    trigger: 'The digest is written.',
    boundaries: isNext ? [] : ['Send nothing that nobody has read.'],
    skill_refs: usedTools('post'),
    verification: {
      kind: isNext ? 'artifact_exists' : 'human_review',
      evidence_required: true,
      description: isNext ? 'The sent digest is there.' : 'The editor has read it.',
    },
  })
  return bundle
}

function usedTools(...ids: string[]) {
  return ids.map((id) => ({ kind: 'external_tool' as const, id }))
}
