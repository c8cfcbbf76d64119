import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../../../operations/define-operation.ts'
import { Refusal } from '../../../operations/errors.ts'
import { hubRecord } from '../../../operations/hub-record.ts'
import {
  type AskedCall,
  argumentsOf,
  type CallApproval,
  wakeTeller,
} from '../../../platform/approvals/approval.ts'
import { askOwner, endOverdue, endSuperseded } from '../../../platform/approvals/approval-moves.ts'
import { countWaiting, findApproval, findLiveApproval } from '../../../platform/approvals/approval-reads.ts'
import { findPermit } from '../../../platform/approvals/permits.ts'
import type { AuditRecord } from '../../../platform/audit/audit-record.ts'
import { sealSecret } from '../../../platform/secrets/sealed-secrets.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import { payloadText } from './asked-call.ts'
import { patienceOf } from './patience.ts'

/** What may wait for the owner at once. */
const OF_GRANT_LIMIT = 20
const OF_VAULT_LIMIT = 200
const BYTES_LIMIT = 8 * 1_048_576
const RETRY_SECONDS = 30
const LOOK_EVERY_MS = 300
const PROGRESS_EVERY_MS = 10_000

type Asking = Context<unknown, 'FLOW_EXTERNAL_APPROVAL_DENIED' | 'FLOW_EXTERNAL_APPROVAL_EXPIRED', 'read'>

/** What came of asking: a call that need not ask any more, or the request with its state at the end of the wait. */
export type Word = 'free' | CallApproval

/** Asks for the owner's word unless it was given, and waits for it as long as the caller would. */
export async function awaitWord(
  context: Asking,
  call: AskedCall,
  payload: object,
  stop: AbortSignal,
): Promise<Word> {
  const { hub } = context
  if (await findPermit(hub.db, call, hub.system.now())) return 'free'
  const asked = await ask(context, call, payload)
  return asked.state === 'waiting' ? holdUntilDecided(context, asked, stop) : judge(context, asked)
}

/** The request of just this call: the one there is, or a new one. */
async function ask(context: Asking, call: AskedCall, payload: object): Promise<CallApproval> {
  const { hub } = context
  const text = payloadText(payload)
  return hub.db.transaction(async (tx) => {
    const now = hub.system.now()
    const isOver = await endOverdue(tx, now)
    if ((await endSuperseded(tx, call, now)) || isOver) wakeTeller(tx, hub)
    const known = await findLiveApproval(tx, call.digest)
    if (known) return known
    await checkRoom(tx, call, Buffer.byteLength(text))
    const approval_id = `appr_${hub.system.random(8)}`
    const { kind: caller_kind, id: caller_id, client } = context.caller
    const arguments_sealed = await sealSecret(tx, hub, argumentsOf(approval_id), text)
    const who = { approval_id, caller_kind, caller_id, client }
    const bytes = { arguments_bytes: Buffer.byteLength(text), arguments_sealed }
    if (await askOwner(tx, { ...call, ...who, ...bytes }, now)) {
      hub.audit.leaveIn(tx, [recordOf(context, call, approval_id)], true)
      wakeTeller(tx, hub)
    }
    return requireRow(await findLiveApproval(tx, call.digest))
  })
}

async function checkRoom(tx: Transaction, call: AskedCall, bytes: number): Promise<void> {
  const waiting = await countWaiting(tx, call.vault_id, call.grant_id)
  const isFull =
    waiting.of_grant >= OF_GRANT_LIMIT ||
    waiting.of_vault >= OF_VAULT_LIMIT ||
    waiting.bytes + bytes > BYTES_LIMIT
  if (isFull) throw new Refusal('RATE_LIMITED', 'Too many calls wait for the owner already.', RETRY_SECONDS)
}

/** The record of a request, beside that of the call which comes at its end. */
function recordOf({ hub, caller, surface }: Asking, call: AskedCall, approval_id: string): AuditRecord {
  const { vault_id, grant_id, flow_id, flow_version, policy_revision } = call
  const record = hubRecord(hub, 'approval_requested', vault_id, { kind: 'approval', id: approval_id })
  const who = { surface, caller_kind: caller.kind, caller_id: caller.id, client: caller.client }
  return { ...record, ...who, policy_revision, grant_id, flow_id, flow_version }
}

/** Waits until somebody has decided, the caller has waited enough, or the hub stops. */
async function holdUntilDecided(
  context: Asking,
  asked: CallApproval,
  stop: AbortSignal,
): Promise<CallApproval> {
  const { hub } = context
  const ends_at = performance.now() + patienceOf(context) * 1_000
  return context.holdUp(async (signal) => {
    const left = AbortSignal.any([signal, stop, hub.stopping.signal])
    const stopTelling = tellProgress(context)
    try {
      let approval = asked
      while (approval.state === 'waiting') {
        if (left.aborted || performance.now() >= ends_at) return approval
        await pause(LOOK_EVERY_MS, undefined, { signal: left }).catch(() => {})
        if (signal.reason instanceof Refusal) throw signal.reason
        approval = await findDecided(context, asked.approval_id)
        if (hub.rulesOf(asked.vault_id).revision !== asked.policy_revision) return endChanged(context, asked)
      }
      return judge(context, approval)
    } finally {
      stopTelling()
    }
  })
}

/** What the owner is asked about is not what would be carried out any more. */
async function endChanged({ hub, refuse }: Asking, asked: CallApproval): Promise<never> {
  const policy_revision = hub.rulesOf(asked.vault_id).revision
  await hub.db.transaction(async (tx) => {
    if (await endSuperseded(tx, { ...asked, policy_revision }, hub.system.now())) wakeTeller(tx, hub)
  })
  return refuse(
    'FLOW_EXTERNAL_APPROVAL_EXPIRED',
    'The policy has changed meanwhile. Calling again asks anew.',
  )
}

/** The request as it is now; one whose time is over is ended on the way. */
export async function findDecided({ hub }: Pick<Asking, 'hub'>, approval_id: string): Promise<CallApproval> {
  const approval = requireRow(await findApproval(hub.db, approval_id))
  if (!isOverdue(approval, hub.system.now())) return approval
  return hub.db.transaction(async (tx) => {
    await endOverdue(tx, hub.system.now())
    wakeTeller(tx, hub)
    return requireRow(await findApproval(tx, approval_id))
  })
}

function isOverdue({ state, expires_at, lease_until }: CallApproval, now: Date): boolean {
  const at = now.toISOString()
  if (state === 'waiting' || state === 'approved') return expires_at <= at
  return state === 'executing' && lease_until !== null && lease_until <= at
}

/** A no, and a word that did not come in time, end the call. */
function judge({ refuse }: Asking, approval: CallApproval): CallApproval {
  if (approval.state === 'denied') return refuse('FLOW_EXTERNAL_APPROVAL_DENIED')
  if (approval.state === 'expired') return refuse('FLOW_EXTERNAL_APPROVAL_EXPIRED')
  return approval
}

/** At once and then now and then: some programs give up on a call that shows no sign of life. */
function tellProgress({ progress }: Asking): () => void {
  let count = 0
  progress(++count)
  const timer = setInterval(() => progress(++count), PROGRESS_EVERY_MS).unref()
  return () => clearInterval(timer)
}

function requireRow(approval: CallApproval | undefined): CallApproval {
  if (!approval) throw new Error('A request for approval is not there any more.')
  return approval
}
