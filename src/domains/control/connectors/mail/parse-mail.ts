import type { Address, Email } from 'postal-mime'
import type { CollectedRecord, Json, JsonObject } from '../connector.ts'
import type { RawMessage } from '../parse-job.ts'
import { cutLine, cutText, findTime, renderPlainText } from '../source-text.ts'

const MAX_ADDRESSES = 50
const MAX_ATTACHMENTS = 50
const MAX_HEADER_BYTES = 262_144
const MAX_DEPTH = 50

/** Reads messages. One that cannot be read is kept as such: it must not hide those behind it. */
export async function parseMail(messages: readonly RawMessage[]): Promise<CollectedRecord[]> {
  const { default: PostalMime } = await import('postal-mime')
  const records: CollectedRecord[] = []
  for (const message of messages) {
    const limits = { maxNestingDepth: MAX_DEPTH, maxHeadersSize: MAX_HEADER_BYTES }
    const email = await PostalMime.parse(message.source, limits).catch(() => undefined)
    records.push({ key: message.key, data: email ? readable(message, email) : unreadable(message) })
  }
  return records
}

function readable(message: RawMessage, email: Email): JsonObject {
  const { text, is_cut } = cutText(email.text ?? renderPlainText(email.html ?? ''))
  return {
    subject: cutLine(email.subject ?? ''),
    from: peopleOf(email.from ? [email.from] : []),
    to: peopleOf(email.to ?? []),
    cc: peopleOf(email.cc ?? []),
    sent_at: findTime(email.date),
    received_at: message.received_at,
    message_id: email.messageId === undefined ? null : cutLine(email.messageId, 500),
    in_reply_to: email.inReplyTo === undefined ? null : cutLine(email.inReplyTo, 500),
    text,
    is_cut: is_cut || message.source.length < message.size_bytes,
    is_readable: true,
    attachments: attachmentsOf(email),
    size_bytes: message.size_bytes,
  }
}

function unreadable({ received_at, size_bytes }: RawMessage): JsonObject {
  return {
    subject: '',
    from: [],
    to: [],
    cc: [],
    sent_at: null,
    received_at,
    message_id: null,
    in_reply_to: null,
    text: '',
    is_cut: false,
    is_readable: false,
    attachments: [],
    size_bytes,
  }
}

function peopleOf(addresses: readonly Address[]): Json {
  const people = addresses.flatMap((address) =>
    'group' in address && address.group ? address.group : [address],
  )
  return people.slice(0, MAX_ADDRESSES).map(({ name = '', address = '' }) => ({
    name: cutLine(name, 200),
    address: cutLine(address, 320),
  }))
}

function attachmentsOf({ attachments }: Email): Json {
  return attachments.slice(0, MAX_ATTACHMENTS).map(({ filename, mimeType, content }) => ({
    name: filename === null ? null : cutLine(filename, 255),
    type: cutLine(mimeType, 100),
    size_bytes: typeof content === 'string' ? content.length : content.byteLength,
  }))
}
