import { parseAgentInput } from './check-input.ts'
import { checkOutput } from './check-output.ts'
import { decideCoherence } from './coherence.ts'
import type { AgentInput, AgentOutput } from './contract.ts'
import type { Found, Rejected } from './violation.ts'

export type ExchangeCode = 'VALIDATION_ERROR' | 'MODEL_OUTPUT_INVALID' | 'COHERENCE_BLOCKED'

export type ExchangeVerdict =
  | { readonly ok: true; readonly input: AgentInput; readonly output: AgentOutput }
  | Rejected<ExchangeCode>

/**
 * Judges an answer against what was asked: both by themselves, then the answer by the input's lineage,
 * kinds of artifact and execution. An input that is refused leaves nothing to judge the answer by.
 */
export function checkExchange(input: unknown, output: unknown): ExchangeVerdict {
  const asked = parseAgentInput(input)
  if (!asked.ok) return asked
  const found: Found = []
  checkOutput(output, found, asked.value)
  if (found.length > 0) return { ok: false, code: 'MODEL_OUTPUT_INVALID', violations: found }
  const answer = output as AgentOutput
  if (decideCoherence(asked.value) === 'blocked' && answer.status !== 'blocked') return BLOCKED
  return { ok: true, input: asked.value, output: answer }
}

const BLOCKED: Rejected<'COHERENCE_BLOCKED'> = {
  ok: false,
  code: 'COHERENCE_BLOCKED',
  violations: [{ path: 'coherenceStatus', message: 'execute on a stale snapshot must be blocked' }],
}
