import { z } from 'zod'
import { policyChangeShape } from '../../../operations/policy/change-policy.ts'
import { definePolicyChange, edited } from '../../../operations/policy/define-policy-change.ts'
import { describeGate } from '../../../platform/policy/gates.ts'
import { flagOfGate, GateName, GateShape, showGate } from './policy-view.ts'

export const GateOutput = z.strictObject({
  object: z.literal('policy_gate'),
  ...GateShape.shape,
  ...policyChangeShape,
})

export const policyGateOpen = gateChange('open')
export const policyGateClose = gateChange('close')

/** Closing never asks whether the owner is there. */
function gateChange(move: 'open' | 'close') {
  return definePolicyChange({
    name: `owner_policy_gate_${move}`,
    summary: `${move === 'open' ? 'Open' : 'Close'} a gate in the policy of the vault.`,
    opens: move === 'open',
    whileLocked: move === 'close',
    rest: `POST /v1/owner/policy/gates/{gate}/${move}`,
    cli: `policy gate ${move} <gate>`,
    fields: { gate: GateName },
    errors: {},
    target: ({ gate }) => ({ kind: 'policy_gate', id: flagOfGate(gate as string) }),
    output: GateOutput,
    rewrite: edited((document, { input }) =>
      document.set(describeGate(flagOfGate(input.gate)).setting, move === 'open'),
    ),
    present: async () => (await import('./present-policy.ts')).presentGate,
    answer: (change, { input, hub, vault_id }) => ({
      object: 'policy_gate' as const,
      ...showGate(hub, hub.rulesOf(vault_id), flagOfGate(input.gate)),
      ...change,
    }),
  })
}
