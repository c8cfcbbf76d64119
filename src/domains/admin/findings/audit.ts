import type { Hub } from '../../../operations/hub.ts'
import { findAcceptedLoss, findRestoration } from '../../../operations/opening/record-beginnings.ts'
import { findWitnessed } from '../../../platform/audit/check-witness.ts'
import type { Checkpoint } from '../../../platform/audit/checkpoint.ts'
import { findDisbelief } from '../../../platform/audit/retention-time.ts'
import { findBehind, findSending } from '../../../platform/audit/sent-ends/send-ends.ts'
import { verifyChain } from '../../../platform/audit/verify-chain.ts'
import { findVerified } from '../../../platform/audit/verify-slowly.ts'
import { counted } from '../../../platform/basics/printable.ts'
import { sql } from '../../../platform/storage/database.ts'
import type { Finding } from './doctor-finding.ts'
import { reachFindings } from './log-reach.ts'

/** A longer chain is left to `audit verify`: the doctor answers at once. */
const CHECKED_RECORDS = 100_000

const readLength = sql<{ length: number }>('SELECT seq - checkpoint_seq AS length FROM audit_head')

const newestCheckpoint = sql<Checkpoint>(
  'SELECT seq, at, previous_seq, rule FROM audit_checkpoints ORDER BY seq DESC LIMIT 1',
)

/** Whether the audit chain is whole, and what retention has cut off it. */
export async function auditFindings(hub: Hub): Promise<Finding[]> {
  return [
    ...(await chainFindings(hub)),
    ...(await verifiedFindings(hub)),
    ...(await retentionFindings(hub)),
    ...(await witnessFindings(hub)),
    ...(await sendingFindings(hub)),
    ...(await beginningFindings(hub)),
  ]
}

/** What the hub has found by looking at its log in the background. */
async function verifiedFindings({ db }: Hub): Promise<Finding[]> {
  const { good_at, good_seq, fault } = await findVerified(db)
  const good = good_at
    ? `last found whole at ${good_at}, up to record ${good_seq}`
    : 'not walked to its end yet'
  const fix = fault
    ? 'Look with `knowtation audit verify`. Keep the database as evidence and restore a backup.'
    : null
  const detail = fault ? `${fault} Before that: ${good}` : good
  return [{ subject: 'audit chain in the background', state: fault ? 'wrong' : 'ok', detail, fix }]
}

/** What lies beside the database and knows how far the log has come. */
async function witnessFindings({ db, home, witness }: Hub): Promise<Finding[]> {
  const subject = 'audit witness'
  try {
    witness.checkInPlace()
    const begun = await findWitnessed(db)
    const since = begun ? `, kept since record ${begun.since_seq} (${begun.at})` : ''
    return [{ subject, state: 'ok', detail: `${home.auditWitness}${since}`, fix: null }]
  } catch (error) {
    const fix = 'Stop the hub, put the file back, and start it again.'
    return [{ subject, state: 'wrong', detail: (error as Error).message, fix }]
  }
}

/** Where ends of the log go, and whether the log still has what went there. */
async function sendingFindings({ db, config }: Hub): Promise<Finding[]> {
  const subject = 'audit ends sent'
  const places = config.audit.send_ends
  if (!places) {
    const fix = 'With `audit.send_ends` in config.yaml even an older copy of the whole home is noticed.'
    return [{ subject, state: 'off', detail: 'kept in this home alone', fix }]
  }
  const { at, seq, failure, ...found } = await findSending(db)
  const behind = (await findBehind(db, places)) ?? found.behind
  if (behind)
    return [
      {
        subject,
        state: 'wrong',
        detail: behind,
        fix: 'Somebody put an older copy of the home in place. Keep both; if it was you, move the file aside.',
      },
    ]
  const sent = at ? `up to record ${seq}, at ${at}` : 'none yet'
  const fix = failure ? 'Look at the places that `audit.send_ends` in config.yaml names.' : null
  const detail = failure ? `${failure} Before that: ${sent}` : sent
  return [{ subject, state: failure ? 'wrong' : 'ok', detail, fix }]
}

/** What this home was restored from, and what it goes on without. */
async function beginningFindings({ db }: Hub): Promise<Finding[]> {
  const findings: Finding[] = []
  const restored = await findRestoration(db)
  if (restored)
    findings.push({
      subject: 'restored home',
      state: 'on',
      detail: `at ${restored.restored_at} from ${restored.backup} as of ${restored.as_of}`,
      fix: 'What was revoked, locked or deleted after that moment counts again: look through tokens, grants, sessions, agents, connections and locks.',
    })
  const loss = await findAcceptedLoss(db)
  if (loss)
    findings.push({
      subject: 'accepted loss',
      state: 'on',
      detail: `at ${loss.accepted_at} the owner went on without records ${loss.after_seq + 1} to ${loss.last_seq}`,
      fix: null,
    })
  return findings
}

/** The checkpoints say it under our signature, which `audit verify` checks. */
async function retentionFindings(hub: Hub): Promise<Finding[]> {
  const last = await hub.db.get(newestCheckpoint)
  return [await cutFinding(hub, last), ...(await reachFindings(hub, last?.rule))]
}

async function cutFinding({ db, system, config }: Hub, last: Checkpoint | undefined): Promise<Finding> {
  const subject = 'audit retention'
  const cut = last
    ? `${counted(last.seq, 'record')} cut off, the last ${last.seq - last.previous_seq} at ${last.at} by ${last.rule ?? 'a limit'}`
    : 'nothing was cut off yet'
  const disbelief = await findDisbelief(db, system.now())
  if (!disbelief) return { subject, state: 'ok', detail: cut, fix: null }
  const { believed } = disbelief
  const detail = `${cut}; the clock is far ahead of the log, so age is counted as of ${believed}`
  const fix = `Look at the clock of this machine. If it is right, nothing is to be done: the ${config.audit.max_age_days} days are caught up with at two a day.`
  return { subject, state: 'off', detail, fix }
}

async function chainFindings({ db, audit, longLooks }: Hub): Promise<Finding[]> {
  const length = (await db.get(readLength))?.length ?? 0
  if (length > CHECKED_RECORDS) {
    const detail = `${counted(length, 'record')}, not checked now`
    return [
      { subject: 'audit chain', state: 'ok', detail, fix: 'Check all of it with `knowtation audit verify`.' },
    ]
  }
  const { intact, records, fault } = await longLooks.run(() => verifyChain(db, audit.key))
  return [
    {
      subject: 'audit chain',
      state: intact ? 'ok' : 'wrong',
      detail: intact ? `${counted(records, 'record')}, all as written` : (fault ?? 'broken'),
      fix: intact ? null : 'Someone changed the log. Keep the database as evidence and restore a backup.',
    },
  ]
}
