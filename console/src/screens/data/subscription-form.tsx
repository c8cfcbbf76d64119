import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useHub } from '../../api/hub'
import { connectionsQuery } from '../../api/queries'
import type { Subscription } from '../../api/shapes'
import { Panel } from '../../parts/panel'
import { spelledOut } from '../../parts/words'

type EventType = NonNullable<Subscription['filters']['types']>[number]

/** What each kind of event says. */
const KINDS = {
  'pdpp.records.changed': 'records came, changed or went',
  'pdpp.run.queued': 'a run waits',
  'pdpp.run.started': 'a run began',
  'pdpp.run.progress': 'a run got further',
  'pdpp.run.retried': 'a run is tried again',
  'pdpp.run.cancelling': 'a run is being cancelled',
  'pdpp.run.succeeded': 'a run succeeded',
  'pdpp.run.failed': 'a run failed',
  'pdpp.run.cancelled': 'a run was cancelled',
  'approval.requested': 'a call waits for you',
  'approval.decided': 'you answered a call',
  'approval.expired': 'nobody answered a call',
  'connection.needs_owner': 'a source needs you',
  'pin.changed': 'a tool is not what you pinned',
  'pin.reviewed': 'you looked at a changed tool',
} as const satisfies Record<EventType, string>

/**
 * A new subscription. The hub's own page makes it and shows the signing secret once: no credential comes into this
 * application.
 */
export function SubscriptionForm({ connection_id }: { connection_id: string | undefined }) {
  const hub = useHub()
  const connections = useQuery(connectionsQuery(hub)).data?.data ?? []
  const [types, setTypes] = useState<readonly string[]>([])
  const [about, setAbout] = useState(connection_id ?? '')
  const toggle = (type: string) =>
    setTypes((before) => (before.includes(type) ? before.filter((one) => one !== type) : [...before, type]))
  return (
    <Panel title="Tell another address" note="the next page shows its signing secret once">
      <form className="source settings-form" action="/owner/subscriptions" method="get">
        <label className="field">
          <span>Address that events are posted to</span>
          <input type="url" name="callback_url" required autoComplete="off" spellCheck={false} />
          <small className="soft">It begins with https, or is on this machine.</small>
        </label>
        <label className="field">
          <span>About</span>
          <select name="connection_id" value={about} onChange={({ target }) => setAbout(target.value)}>
            <option value="">all sources</option>
            {connections.map((one) => (
              <option key={one.connection_id} value={one.connection_id}>
                {spelledOut(one.display_name)}
              </option>
            ))}
          </select>
        </label>
        <fieldset className="kinds">
          <legend>
            Events {types.length === 0 && <span className="faint">all kinds, unless you choose</span>}
          </legend>
          {Object.entries(KINDS).map(([type, words]) => (
            <label key={type}>
              <input type="checkbox" checked={types.includes(type)} onChange={() => toggle(type)} /> {words}
            </label>
          ))}
        </fieldset>
        <input type="hidden" name="types" value={types.join(',')} />
        <button type="submit" className="button main">
          Go on…
        </button>
      </form>
    </Panel>
  )
}
