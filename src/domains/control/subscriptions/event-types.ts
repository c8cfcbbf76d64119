/** What subscribers are told of collections, and of calls that wait for the owner. The hub's own `verify` and `test` are not filtered. */
export const EVENT_TYPES = [
  'pdpp.records.changed',
  'pdpp.run.queued',
  'pdpp.run.started',
  'pdpp.run.progress',
  'pdpp.run.retried',
  'pdpp.run.cancelling',
  'pdpp.run.succeeded',
  'pdpp.run.failed',
  'pdpp.run.cancelled',
  'approval.requested',
  'approval.decided',
  'approval.expired',
  'connection.needs_owner',
  'pin.changed',
  'pin.reviewed',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** Sent to find out whether the receiver wants to be one. */
export const VERIFY_TYPE = 'pdpp.subscription.verify'
/** Sent because somebody asked to see one. */
export const TEST_TYPE = 'pdpp.subscription.test'
