import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { postOut } from '../../basics/post-out.ts'
import type { System } from '../../basics/system.ts'
import { type Database, type Reader, sql } from '../../storage/database.ts'
import { askTimeStamp } from '../../time-stamps/ask-time-stamp.ts'
import type { AuditKey } from '../audit-key.ts'
import { findEnd } from './compare-ends.ts'
import { type SentEnd, signEnd, stampedDigest } from './end-statement.ts'
import { appendEnd, findLastEnd } from './ends-file.ts'

const ANSWER_LIMIT_BYTES = 4_096
/** Nobody is waited for longer. */
const ANSWER_WITHIN_MS = 10_000

const readHead = sql<{ seq: number; hash: string }>('SELECT seq, hash FROM audit_head WHERE only_row = 1')
const newestCheckpoint = sql<{ seq: number; hash: string }>(
  'SELECT seq, hash FROM audit_checkpoints ORDER BY seq DESC LIMIT 1',
)
const KEY = 'audit_ends_sent'
const read = sql<{ value: string }>(`SELECT value FROM hub_meta WHERE key = '${KEY}'`)
const write = sql(
  `INSERT INTO hub_meta (key, value) VALUES ('${KEY}', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
)

/** Where the owner wants ends of the log sent. */
export interface EndPlaces {
  readonly file?: string | undefined
  readonly webhook?: string | undefined
  readonly time_stamps?: { readonly url: string; readonly ca_file: string } | undefined
}

/** How sending stands: what every place has, and what went wrong last. */
export interface Sending {
  readonly seq: number
  readonly checkpoint_seq: number
  readonly at: string | null
  /** The log lacks what was sent. */
  readonly behind: string | null
  /** A place did not take it, or did not stamp it. */
  readonly failure: string | null
}

const NOTHING: Sending = { seq: 0, checkpoint_seq: 0, at: null, behind: null, failure: null }

export async function findSending(db: Reader): Promise<Sending> {
  const found = await db.get(read)
  return found ? { ...NOTHING, ...(JSON.parse(found.value) as Partial<Sending>) } : NOTHING
}

interface Sender {
  readonly db: Database
  readonly key: AuditKey
  readonly system: System
  readonly places: EndPlaces
}

/**
 * Sends how far the log has come to the owner's places, where it has grown. A log that lacks what was sent before is
 * told of instead: what is sent now would bury that.
 */
export async function sendEnds(sender: Sender): Promise<Sending> {
  const { db, key, system, places } = sender
  const before = await findSending(db)
  const behind = await findBehind(db, places)
  if (behind !== undefined) return keep(db, { ...before, behind })
  const head = await db.get(readHead)
  const checkpoint = await db.get(newestCheckpoint)
  if (!head || (head.seq === before.seq && !before.failure && !before.behind)) return before
  const at = system.now().toISOString()
  // A place where the log was cut stays known, so an end there can be checked for good.
  const isCut = checkpoint && checkpoint.seq > before.checkpoint_seq
  const failures: string[] = []
  for (const end of [...(isCut ? [checkpoint] : []), head])
    failures.push(...(await deliver(signEnd(key, { ...end, at }), places)))
  if (failures.length > 0)
    return keep(db, { ...before, behind: null, failure: [...new Set(failures)].join(' ') })
  return keep(db, { ...NOTHING, seq: head.seq, checkpoint_seq: checkpoint?.seq ?? 0, at })
}

/** What the log lacks of the last end in the owner's file. */
export async function findBehind(db: Reader, { file }: EndPlaces): Promise<string | undefined> {
  const last = file === undefined ? undefined : findLastEnd(file)
  const fault = last && (await findEnd(db, last)).fault
  return fault === undefined ? undefined : `By ${file}, ${fault}`
}

async function keep(db: Database, sending: Sending): Promise<Sending> {
  await db.transaction((tx) => tx.run(write, JSON.stringify(sending)))
  return sending
}

/** Takes an end to every place; answers what went wrong. One that could not be stamped is sent all the same. */
async function deliver(unstamped: SentEnd, places: EndPlaces): Promise<string[]> {
  const failures: string[] = []
  const trying = async <Result>(what: string, act: () => Promise<Result>): Promise<Result | undefined> => {
    try {
      return await act()
    } catch (error) {
      failures.push(`${what}: ${wordsOf(error as Error)}`)
      return undefined
    }
  }
  const { file, webhook, time_stamps } = places
  const stamped = time_stamps && (await trying(time_stamps.url, () => stamp(unstamped, time_stamps)))
  const end = stamped ?? unstamped
  if (file !== undefined) await trying(file, async () => appendEnd(file, end))
  // An address may hold a secret of its owner's.
  if (webhook !== undefined) await trying(new URL(webhook).origin, () => post(webhook, end))
  return failures
}

async function stamp(
  end: SentEnd,
  { url, ca_file }: NonNullable<EndPlaces['time_stamps']>,
): Promise<SentEnd> {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS)
  const { token } = await askTimeStamp(
    { url, trusted: readCertificates(ca_file) },
    stampedDigest(end),
    signal,
  )
  return { ...end, time_stamp: token.toString('base64') }
}

async function post(webhook: string, end: SentEnd): Promise<void> {
  const { status } = await postOut(webhook, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(end),
    limit_bytes: ANSWER_LIMIT_BYTES,
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  })
  if (status < 200 || status > 299) throw new Error(`It answered ${status}.`)
}

/** The certificates of a file, by which the owner knows who stamps times. */
export function readCertificates(path: string): X509Certificate[] {
  const texts = readFileSync(path, 'utf8').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)
  if (!texts) throw new Error(`${path} holds no certificate.`)
  return texts.map((text) => new X509Certificate(text))
}

function wordsOf({ name, message, ...error }: Error): string {
  if (name === 'TimeoutError') return 'No answer.'
  const { code } = error as { code?: string }
  return code ? `${code}.` : message
}
