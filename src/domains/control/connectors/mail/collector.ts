import type { ImapFlow } from 'imapflow'
import { type Collector, type Json, type Page, type Source, SourceFault } from '../connector.ts'
import { MAX_PAGE_RECORDS } from '../guard-collector.ts'
import { findMember, findText } from '../page-changes.ts'
import { parseApart } from '../parse-apart.ts'
import type { RawMessage } from '../parse-job.ts'
import { findTime } from '../source-text.ts'
import { type OpenMailbox, withMailbox } from './open-mailbox.ts'
import { numbersIn, readRanges, toRanges } from './uid-set.ts'

const STREAM = 'messages'
/** Messages that one mailbox may have. */
const MAX_MESSAGES = 200_000
const PAGE_MESSAGES = 100
const PAGE_BYTES = 8 * 1024 * 1024
/** Read of one message; the rest of a longer one is left at the server. */
const MAX_MESSAGE_BYTES = 1024 * 1024

/** Reads a mailbox without changing it. A message is known by the mailbox's validity and its own number. */
export const mailCollector: Collector = {
  async probe(source) {
    const { user = '', mailbox } = source.settings
    for await (const _ of withMailbox(source, async function* () {})) break
    return { display_name: mailbox && mailbox !== 'INBOX' ? `${user} (${mailbox})` : user }
  },
  collect: (source) => withMailbox(source, (open) => collectPages(source, open)),
}

interface Known {
  readonly validity: string
  readonly uids: Set<number>
}

async function* collectPages(source: Source, { client, mailbox }: OpenMailbox): AsyncGenerator<Page> {
  const validity = String(mailbox.uidValidity)
  const former = readKnown(source.checkpoint)
  const present = new Set(await listUids(client))
  const known: Known = former.validity === validity ? former : { validity, uids: new Set() }
  // Messages of a mailbox that was made anew have other numbers: all the former ones are gone.
  const gone = former === known ? [...former.uids].filter((uid) => !present.has(uid)) : [...former.uids]
  yield* removalPages(former, gone)
  if (former !== known && former.validity !== '') {
    yield { stream: STREAM, upserts: [], bytes: 0, checkpoint: checkpointOf(known) }
  }
  const fresh = [...present].filter((uid) => !known.uids.has(uid))
  yield* messagePages(source, client, known, fresh)
}

function* removalPages(former: Known, gone: readonly number[]): Generator<Page> {
  for (let at = 0; at < gone.length; at += MAX_PAGE_RECORDS) {
    const part = gone.slice(at, at + MAX_PAGE_RECORDS)
    for (const uid of part) former.uids.delete(uid)
    const removals = part.map((uid) => keyOf(former, uid))
    yield { stream: STREAM, upserts: [], removals, bytes: 0, checkpoint: checkpointOf(former) }
  }
}

async function* messagePages(
  source: Source,
  client: ImapFlow,
  known: Known,
  fresh: readonly number[],
): AsyncGenerator<Page> {
  const total = fresh.length
  for (let at = 0; at < fresh.length; ) {
    const { messages, asked } = await readMessages(client, known, fresh.slice(at, at + PAGE_MESSAGES))
    const { records } = await parseApart({ kind: 'mail', messages }, source.signal)
    // One that vanished while it was asked for counts as seen; the next run finds it gone.
    for (const uid of asked) known.uids.add(uid)
    at += asked.length
    const bytes = messages.reduce((sum, { source: raw }) => sum + raw.length, 0)
    yield { stream: STREAM, upserts: records, bytes, total, checkpoint: checkpointOf(known) }
  }
}

/** Reads messages until there are enough for a page; answers how many of the wanted ones that settles. */
async function readMessages(
  client: ImapFlow,
  known: Known,
  wanted: readonly number[],
): Promise<{ messages: RawMessage[]; asked: readonly number[] }> {
  const sizes = new Map<number, number>()
  const query = { uid: true, size: true }
  for await (const { uid, size = 0 } of client.fetch([...wanted], query, { uid: true })) sizes.set(uid, size)
  let bytes = 0
  const over = wanted.findIndex((uid) => {
    bytes += Math.min(sizes.get(uid) ?? 0, MAX_MESSAGE_BYTES)
    return bytes > PAGE_BYTES
  })
  const asked = over < 0 ? wanted : wanted.slice(0, Math.max(1, over))
  const messages: RawMessage[] = []
  const parts = {
    uid: true,
    size: true,
    internalDate: true,
    source: { start: 0, maxLength: MAX_MESSAGE_BYTES },
  }
  for await (const message of client.fetch([...asked], parts, { uid: true })) {
    if (!message.source || !asked.includes(message.uid)) continue
    messages.push({
      key: keyOf(known, message.uid),
      source: message.source.subarray(0, MAX_MESSAGE_BYTES),
      size_bytes: message.size ?? message.source.length,
      received_at: findTime(message.internalDate),
    })
  }
  return { messages, asked }
}

async function listUids(client: ImapFlow): Promise<number[]> {
  const found = (await client.search({ all: true }, { uid: true })) || []
  if (found.length > MAX_MESSAGES) {
    throw new SourceFault('too_large', `The mailbox has more than ${MAX_MESSAGES} messages.`)
  }
  return found.toSorted((a, b) => a - b)
}

function keyOf({ validity }: Known, uid: number): string {
  return `${validity}/${uid}`
}

function readKnown(checkpoint: Json): Known {
  const validity = findText(checkpoint, 'uid_validity') ?? ''
  const uids = numbersIn(readRanges(findMember(checkpoint, 'uids')), MAX_MESSAGES)
  return { validity, uids: new Set(uids) }
}

function checkpointOf({ validity, uids }: Known): Json {
  return { uid_validity: validity, uids: toRanges(uids) }
}
