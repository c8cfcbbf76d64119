import { afterEach, beforeEach, describe, expect } from 'vitest'
import { verifies } from '../../../../test/requirements/verifies.ts'
import { flowStateId } from '../bundle/state-id.ts'
import { type FlowHub, openFlowHub } from '../flow-hub.fixture.ts'
import { countProposals, draft, publish } from './drafts.fixture.ts'

let hub: FlowHub
let edit: { intent: string; [key: string]: unknown }
beforeEach(async () => {
  hub = await openFlowHub()
  const { flow, steps } = await publish(hub, draft())
  const { flow_id, version } = flow
  const base = { flow_id, base_version: version, base_state_id: flowStateId(flow, steps) }
  edit = { ...base, ...draft({ version: '1.1.0' }), intent: 'It is better.' }
})
afterEach(() => hub.close())

const ask = (changes: object) => hub.ask('flow_propose_edit', { ...edit, ...changes })
const INVALID = { status: 400, code: 'FLOW_DRAFT_INVALID' }

describe('an edit', () => {
  verifies('FLOW-056', 'needs an intent too', async () => {
    const { intent: _, ...unexplained } = edit
    expect(await hub.ask('flow_propose_edit', unexplained)).toMatchObject(INVALID)
    for (const intent of ['', ' \n ', 7]) expect(await ask({ intent })).toMatchObject(INVALID)
    expect(await countProposals(hub)).toBe(1)
  })

  verifies('FLOW-061', 'that is not a valid flow has the code of a draft', async () => {
    const { flow, steps } = draft({ version: '1.1.0' })
    for (const wrong of [
      { steps: [] },
      { flow: { ...flow, title: ' ' } },
      { steps: [{ ...steps[0], trigger: '' }] },
      { flow: 'flow_own' },
    ])
      expect(await ask(wrong)).toMatchObject(INVALID)
    expect((await ask({})).status).toBe(201)
  })

  verifies('FLOW-065', 'does not say itself whether it could pass without a person', async () => {
    for (const auto_approvable of [true, 'yes']) {
      const { status, body } = await ask({ auto_approvable })
      expect([status, body.auto_approvable]).toEqual([201, false])
    }
  })
})
