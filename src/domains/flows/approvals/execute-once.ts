import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../../../operations/define-operation.ts'
import { Refusal } from '../../../operations/errors.ts'
import type { Hub } from '../../../operations/hub.ts'
import { reportFault } from '../../../operations/report-fault.ts'
import { type CallApproval, resultOf } from '../../../platform/approvals/approval.ts'
import { finishExecution, LEASE_MS, renewExecution } from '../../../platform/approvals/approval-moves.ts'
import { partOf } from '../../../platform/basics/part-of.ts'
import { openSecret, sealSecret } from '../../../platform/secrets/sealed-secrets.ts'
import { findDecided } from './await-word.ts'

const LOOK_EVERY_MS = 300
/** A larger answer goes to who waits for it now, and is not kept for who comes later. */
const KEPT_BYTES = 1_048_576
/** A hub that stops waits so long for what it is carrying out; then nobody knows how that ended. */
const STOP_WAITS_MS = 5_000

const OUTCOMES = ['FLOW_EXTERNAL_PROVIDER_FAILED', 'FLOW_EXTERNAL_PROVIDER_TIMEOUT'] as const
type Outcome = (typeof OUTCOMES)[number]
type Asking = Context<
  unknown,
  Outcome | 'FLOW_EXTERNAL_APPROVAL_UNKNOWN' | 'FLOW_EXTERNAL_APPROVAL_EXPIRED',
  'update'
>
type Claimed = Pick<CallApproval, 'approval_id' | 'fence'>

/** What this process carries out now, by request. */
function underWay(hub: Hub): Map<string, Promise<unknown>> {
  const running = new Map<string, Promise<unknown>>()
  hub.closing.push(async () => {
    const ended = Promise.allSettled(running.values())
    await Promise.race([ended, pause(STOP_WAITS_MS, undefined, { ref: false })])
  })
  return running
}

/**
 * Carries out what was claimed, to its end even where its caller has left: who comes back gets its answer. Only a lock, or
 * whatever else would refuse the call by now, stops it.
 */
export function executeOnce(
  { hub }: Pick<Asking, 'hub'>,
  claimed: Claimed,
  signal: AbortSignal,
  perform: (signal: AbortSignal) => Promise<unknown>,
): Promise<unknown> {
  const stop = new AbortController()
  signal.addEventListener('abort', () => signal.reason instanceof Refusal && stop.abort(signal.reason))
  const running = partOf(hub, underWay)
  const done = perform(stop.signal).then(
    async (result) => {
      await keep(hub, claimed, { state: 'executed', code: null, result })
      return result
    },
    async (error: unknown) => {
      const code = error instanceof Refusal ? OUTCOMES.find((one) => one === error.code) : undefined
      await keep(hub, claimed, { state: code ? 'failed' : 'unknown', code: code ?? null, result: undefined })
      throw error
    },
  )
  const stopRenewing = keepLease(hub, claimed)
  const ended = done.finally(() => {
    stopRenewing()
    running.delete(claimed.approval_id)
  })
  running.set(claimed.approval_id, ended)
  return ended
}

/** The answer of the one execution, for another call that is the same. */
export async function attachTo(context: Asking, approval_id: string, signal: AbortSignal): Promise<unknown> {
  const { hub, refuse } = context
  const own = partOf(hub, underWay).get(approval_id)
  const left = AbortSignal.any([signal, hub.stopping.signal])
  // However large: only what is kept for later has a limit.
  const answer = own && (await Promise.race([own.then(handed, () => undefined), aborted(left)]))
  if (answer) return answer.result
  for (;;) {
    if (signal.reason instanceof Refusal) throw signal.reason
    if (left.aborted) return refuse('FLOW_EXTERNAL_PROVIDER_TIMEOUT')
    const approval = await findDecided(context, approval_id)
    const { state, result_sealed, result_code } = approval
    if (state === 'executing') await pause(LOOK_EVERY_MS, undefined, { signal: left }).catch(() => {})
    else if (state === 'failed')
      refuse(OUTCOMES.find((one) => one === result_code) ?? 'FLOW_EXTERNAL_PROVIDER_FAILED')
    else if (state === 'expired') refuse('FLOW_EXTERNAL_APPROVAL_EXPIRED')
    else if (state !== 'executed' || result_sealed === null) refuse('FLOW_EXTERNAL_APPROVAL_UNKNOWN')
    else
      return (JSON.parse(openSecret(hub, resultOf(approval_id), result_sealed)) as { result?: unknown })
        .result
  }
}

const handed = (result: unknown) => ({ result })

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((done) => signal.addEventListener('abort', () => done(undefined), { once: true }))
}

interface Ended {
  readonly state: 'executed' | 'failed' | 'unknown'
  readonly code: string | null
  readonly result: unknown
}

/** Where even this cannot be kept, the lease runs out and nobody knows how it ended. Its caller is told in any case. */
async function keep(
  hub: Hub,
  { approval_id, fence }: Claimed,
  { state, code, result }: Ended,
): Promise<void> {
  const text = JSON.stringify({ result })
  try {
    await hub.db.transaction(async (tx) => {
      const isKept = state === 'executed' && Buffer.byteLength(text) <= KEPT_BYTES
      const result_sealed = isKept ? await sealSecret(tx, hub, resultOf(approval_id), text) : null
      await finishExecution(
        tx,
        { approval_id, fence, state, result_code: code, result_sealed },
        hub.system.now(),
      )
    })
  } catch (error) {
    reportFault(hub.log, 'flow_external_tool_invoke', error)
  }
}

function keepLease(hub: Hub, { approval_id, fence }: Claimed): () => void {
  const renew = () =>
    hub.db
      .transaction((tx) => renewExecution(tx, approval_id, fence, hub.system.now()))
      .catch((error: unknown) => reportFault(hub.log, 'flow_external_tool_invoke', error))
  const timer = setInterval(() => void renew(), LEASE_MS / 3).unref()
  return () => clearInterval(timer)
}
