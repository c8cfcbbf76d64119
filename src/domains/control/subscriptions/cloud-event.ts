import type { System } from '../../../platform/basics/system.ts'

/** What an event says: never what was collected, only where it can be read. */
export interface EventContent {
  readonly type: string
  readonly subject: string
  readonly data: Readonly<Record<string, unknown>>
}

/** An event as it is stored and sent: the text is made once, so that every attempt sends the same bytes. */
export interface StoredEvent {
  readonly seq: number
  readonly event_id: string
  readonly at: string
  readonly type: string
  readonly event_json: string
}

/** Events tell that something is there to be read, so they are small. */
const EVENT_LIMIT_BYTES = 16_384

/** Makes the CloudEvents 1.0 text of one event for one subscription. */
export function makeEvent(
  system: System,
  subscription_id: string,
  seq: number,
  { type, subject, data }: EventContent,
): StoredEvent {
  const event_id = `evt_${system.random(12)}`
  const at = system.now().toISOString()
  const event_json = JSON.stringify({
    specversion: '1.0',
    id: event_id,
    source: `/v1/event-subscriptions/${subscription_id}`,
    type,
    subject,
    time: at,
    datacontenttype: 'application/json',
    pdppversion: '1',
    sequence: String(seq),
    data,
  })
  if (Buffer.byteLength(event_json) > EVENT_LIMIT_BYTES)
    throw new RangeError(`An event of type ${type} is larger than ${EVENT_LIMIT_BYTES} bytes.`)
  return { seq, event_id, at, type, event_json }
}
