import {
  type AgentArtifact,
  type AgentInput,
  type AgentOutput,
  judgeAnswer,
  readExactJson,
} from '../../../boundary/index.ts'
import type { Hub } from '../../../operations/hub.ts'
import type { EngineEnd } from '../engines/engine-end.ts'
import { executionError } from './execution-outcome.ts'
import type { ExecutionOutcome } from './execution-record.ts'

/** What the end of an engine's call comes to: an answer to be written, or what went wrong. */
export type Judgement =
  | { readonly kind: 'accepted'; readonly output: AgentOutput }
  | {
      readonly kind: 'ended'
      readonly status: 'blocked' | 'failed'
      readonly about: Partial<ExecutionOutcome>
    }

/** Judges an engine by the contract. Only what passes every rule of it can be accepted. */
export async function judgeEnd(
  hub: Pick<Hub, 'redactValue'>,
  input: AgentInput,
  end: Exclude<EngineEnd, { kind: 'cancelled' }>,
): Promise<Judgement> {
  if (end.kind === 'failed') return ended('failed', { error: executionError(end.code) })
  const answer = end.kind === 'unreadable' ? { ...end, ok: false as const } : readExactJson(end.document)
  if (!answer.ok) {
    const violations = [{ path: '', message: answer.message }]
    return ended('failed', { error: executionError('MODEL_OUTPUT_INVALID'), violations })
  }
  const outcome = judgeAnswer(input, answer.value)
  if (outcome.status === 'succeeded') {
    return { kind: 'accepted', output: await withoutSecrets(hub, outcome.output) }
  }
  const error = outcome.error
    ? executionError(outcome.error.code, outcome.error.retryable)
    : executionError(outcome.status === 'blocked' ? 'COHERENCE_BLOCKED' : 'ENGINE_GAVE_UP')
  return ended(outcome.status, {
    error,
    // Keys that are not of the contract are named in them, and are the engine's words too.
    violations: (await hub.redactValue([...outcome.violations])) as ExecutionOutcome['violations'],
    reported: await reportOf(hub, outcome.output),
  })
}

function ended(status: 'blocked' | 'failed', about: Partial<ExecutionOutcome>): Judgement {
  return { kind: 'ended', status, about }
}

/** A ledger forgets nothing: a secret that slipped into an artifact must not get that far. */
async function withoutSecrets(hub: Pick<Hub, 'redactValue'>, output: AgentOutput): Promise<AgentOutput> {
  const artifacts = await Promise.all(
    (output.artifacts ?? []).map(async (artifact) => ({
      ...artifact,
      payload: (await hub.redactValue(artifact.payload)) as typeof artifact.payload,
      metadata: await withoutSecretModel(hub, artifact.metadata),
    })),
  )
  if (!output.diagnostics) return { ...output, artifacts }
  return {
    ...output,
    artifacts,
    diagnostics: (await hub.redactValue(output.diagnostics)) as typeof output.diagnostics,
  }
}

/** The name of the model is the only free text there; a moment and a number stay as the contract wants them. */
async function withoutSecretModel(hub: Pick<Hub, 'redactValue'>, metadata: AgentArtifact['metadata']) {
  if (metadata.model === undefined) return metadata
  return { ...metadata, ...((await hub.redactValue({ model: metadata.model })) as { model: string }) }
}

async function reportOf(hub: Pick<Hub, 'redactValue'>, output: AgentOutput | undefined) {
  if (!output?.error && !output?.diagnostics) return null
  const { error, diagnostics } = output
  return (await hub.redactValue({
    message: error?.message ?? null,
    diagnostics: diagnostics ?? null,
  })) as ExecutionOutcome['reported']
}
