import { checkExchange } from './check-exchange.ts'
import { parseAgentInput } from './check-input.ts'
import { decideCoherence, type PartialPolicy } from './coherence.ts'
import type { AgentError, AgentErrorCode, AgentInput, AgentOutput } from './contract.ts'
import { freezeInput, frozenCopy } from './freeze.ts'
import type { Violation } from './violation.ts'

/** An engine within the process: it gets one argument and has nothing else to hold on to. */
export type Agent = (input: AgentInput) => unknown

/** How a call ended, in the host's words. Only `succeeded` carries something that may be kept. */
export type AgentOutcome =
  | { readonly status: 'succeeded'; readonly output: AgentOutput }
  | {
      readonly status: 'blocked' | 'failed'
      /** In the host's words; missing where an engine gave up without saying why. */
      readonly error?: AgentError
      readonly violations: readonly Violation[]
      /** What the engine itself answered, where that was a valid answer. */
      readonly output?: AgentOutput
    }

const MESSAGES: Readonly<Record<AgentErrorCode, string>> = {
  COHERENCE_BLOCKED: 'The snapshot is not coherent enough for this run mode.',
  MODEL_OUTPUT_INVALID: 'The engine did not answer as the contract wants.',
  VALIDATION_ERROR: 'The input is not as the contract wants.',
}

/** A refusal in the host's own words: an engine's words may hold what it was given. */
function hostError(code: AgentErrorCode, retryable = code === 'MODEL_OUTPUT_INVALID'): AgentError {
  return { code, message: MESSAGES[code], retryable }
}

/**
 * Carries one exchange through: input checked, coherence decided, the engine called with a frozen copy,
 * its answer checked as a whole. Whatever is wrong before the call means that there is no call.
 */
export async function callAgent(
  agent: Agent,
  input: unknown,
  options: { partial?: PartialPolicy } = {},
): Promise<AgentOutcome> {
  const asked = parseAgentInput(input)
  if (!asked.ok) return refused('failed', 'VALIDATION_ERROR', asked.violations)
  if (decideCoherence(asked.value, options.partial) !== 'run') return refused('blocked', 'COHERENCE_BLOCKED')
  const kept = freezeInput(asked.value)
  try {
    return judgeOwnCopy(kept, await agent(freezeInput(kept)))
  } catch {
    return refused('failed', 'MODEL_OUTPUT_INVALID')
  }
}

/** An engine in the same process may still have its hands on its answer: what is judged is what is kept. */
function judgeOwnCopy(input: AgentInput, answer: unknown): AgentOutcome {
  const outcome = judgeAnswer(input, answer)
  return outcome.output ? judgeAnswer(input, frozenCopy(outcome.output)) : outcome
}

/** What an answer comes to. */
export function judgeAnswer(input: AgentInput, answer: unknown): AgentOutcome {
  const verdict = checkExchange(input, answer)
  if (!verdict.ok) return refused('failed', verdict.code, verdict.violations)
  const { output } = verdict
  if (output.status === 'succeeded') return { status: 'succeeded', output }
  const error = output.error && hostError(output.error.code, output.error.retryable)
  return { status: output.status, ...(error && { error }), violations: [], output }
}

function refused(
  status: 'blocked' | 'failed',
  code: AgentErrorCode,
  violations: readonly Violation[] = [],
): AgentOutcome {
  return { status, error: hostError(code), violations }
}
