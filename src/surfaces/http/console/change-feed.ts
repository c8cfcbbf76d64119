import type { Hub } from '../../../operations/hub.ts'
import { reportFault } from '../../../operations/report-fault.ts'
import { sql } from '../../../platform/storage/database.ts'

/** What a record of the audit log tells whoever follows it: that something of a kind happened to a thing, and how it ended. */
export interface Change {
  readonly seq: number
  readonly kind: string
  readonly id: string | null
  readonly outcome: string
  readonly vault: string
}

interface Listener {
  /** The newest record there is, as a beginning. */
  here(seq: number): void
  changes(changes: readonly Change[]): void
}

export interface ChangeFeed {
  /** Tells a listener what happens after a record, or from now on; answers how to stop. */
  listen(after: number | undefined, listener: Listener): () => void
  close(): void
}

/** Other hubs on the database write, too, so the log itself is looked at, and only while somebody listens. */
const LOOK_EVERY_MS = 300
/** So many records are told at once; whoever missed more begins anew. */
const BATCH_LIMIT = 500
const BEHIND_LIMIT = 5_000

const readHead = sql<{ seq: number }>('SELECT seq FROM audit_head WHERE only_row = 1')
const readAfter = sql<{
  seq: number
  operation: string
  target_id: string | null
  outcome: string
  vault_id: string
  caller_kind: string
}>(
  `SELECT seq, operation, target_id, outcome, vault_id, caller_kind FROM audit_records
   WHERE seq > ? ORDER BY seq LIMIT ?`,
)

/**
 * Follows the audit log for all who listen. What the owner only reads is left out: a page that answers a change by
 * reading would make the next change.
 */
export function openChangeFeed(
  hub: Pick<Hub, 'db' | 'log'>,
  isRead: (operation: string) => boolean,
): ChangeFeed {
  const listeners = new Map<Listener, { at: number | undefined }>()
  let timer: NodeJS.Timeout | undefined
  let is_looking = false
  const look = async () => {
    if (is_looking) return
    is_looking = true
    try {
      const head = (await hub.db.get(readHead))?.seq ?? 0
      for (const [listener, place] of listeners) await tell(listener, place, head)
    } catch (error) {
      reportFault(hub.log, 'owner_stream', error)
    } finally {
      is_looking = false
    }
  }
  const tell = async (listener: Listener, place: { at: number | undefined }, head: number) => {
    if (place.at === undefined || place.at > head || head - place.at > BEHIND_LIMIT) {
      place.at = head
      listener.here(head)
      return
    }
    if (place.at === head) return
    const rows = await hub.db.all(readAfter, place.at, BATCH_LIMIT)
    place.at = rows.at(-1)?.seq ?? head
    const changes = rows
      .filter(({ caller_kind, operation }) => !(isOwners(caller_kind) && isRead(operation)))
      .map(({ seq, operation, target_id, outcome, vault_id }) => ({
        seq,
        kind: operation,
        id: target_id,
        outcome,
        vault: vault_id,
      }))
    if (changes.length > 0 && listeners.has(listener)) listener.changes(changes)
  }
  const rest = () => {
    clearInterval(timer)
    timer = undefined
  }
  return {
    listen(after, listener) {
      listeners.set(listener, { at: after })
      timer ??= setInterval(() => void look(), LOOK_EVERY_MS).unref()
      void look()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) rest()
      }
    },
    close: rest,
  }
}

function isOwners(caller_kind: string): boolean {
  return caller_kind === 'owner_session' || caller_kind === 'local'
}
