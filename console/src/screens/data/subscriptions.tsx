import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import { connectionsQuery } from '../../api/queries'
import type { Subscription } from '../../api/shapes'
import { subscriptionEventsQuery, subscriptionsQuery } from '../../api/source-queries'
import { Act } from '../../parts/act'
import { Id } from '../../parts/id'
import { Answer, Panel } from '../../parts/panel'
import { Revoke } from '../../parts/revoke'
import { type StateName, Status } from '../../parts/status'
import { Ago } from '../../parts/time'
import { Name } from '../../parts/words'
import { SubscriptionForm } from './subscription-form'

const STATES: Readonly<Record<Subscription['status'], readonly [StateName, string]>> = {
  pending_verification: ['waits', 'being verified'],
  active: ['on', 'on'],
  disabled: ['off', 'paused'],
  disabled_failure: ['failed', 'given up'],
  disabled_revoked: ['closed', 'revoked'],
  deleted: ['off', 'deleted'],
}

/** Who is told of changes by signed events, how far each is, and what did not arrive. */
export function Subscriptions({ item }: { item: string | undefined }) {
  const hub = useHub()
  const asked = useQuery(subscriptionsQuery(hub))
  const isAboutSource = item?.startsWith('conn_') === true
  return (
    <>
      <Panel title="Subscriptions" note="who is told of changes, by signed events">
        <Answer of={asked} empty={({ data }) => data.length === 0 && 'Nobody is told of anything yet.'}>
          {({ data }) => (
            <ul className="rows">
              {data
                .filter(
                  ({ filters }) =>
                    !isAboutSource ||
                    filters.connection_ids === undefined ||
                    filters.connection_ids.includes(item),
                )
                .map((one) => (
                  <li key={one.subscription_id}>
                    <Row subscription={one} isOpen={item === one.subscription_id} />
                    {item === one.subscription_id && <Deliveries subscription_id={one.subscription_id} />}
                  </li>
                ))}
            </ul>
          )}
        </Answer>
      </Panel>
      <SubscriptionForm key={isAboutSource ? item : ''} connection_id={isAboutSource ? item : undefined} />
    </>
  )
}

function Row({ subscription, isOpen }: { subscription: Subscription; isOpen: boolean }) {
  const { subscription_id, callback_url, status, disabled_reason, delivery, filters } = subscription
  const [state, word] = STATES[status]
  return (
    <div className="row subscription-row">
      <Status state={state}>{word}</Status>
      <div>
        <b>
          <Link
            to="/data"
            search={({ vault }) => ({
              ...(vault && { vault }),
              tab: 'subscriptions' as const,
              ...(!isOpen && { item: subscription_id }),
            })}
            aria-expanded={isOpen}
          >
            <Name text={callback_url} />
          </Link>
        </b>
        <p className="small soft">
          <About filters={filters} /> · <Id id={subscription_id} />
          {delivery.delivered_at !== null && (
            <>
              {' '}
              · last delivered <Ago at={delivery.delivered_at} suffix=" ago" />
            </>
          )}
          {delivery.pending_count > 0 && ` · ${delivery.pending_count} waiting`}
        </p>
        {(delivery.last_failure ?? disabled_reason) !== null && status !== 'disabled' && (
          <p className="small tone-fail">
            <Name text={delivery.last_failure ?? disabled_reason ?? ''} />
            {delivery.attempts > 0 && `, tried ${delivery.attempts} times`}
          </p>
        )}
      </div>
      <SubscriptionActs subscription={subscription} />
    </div>
  )
}

function About({ filters }: { filters: Subscription['filters'] }) {
  const hub = useHub()
  const names = useQuery(connectionsQuery(hub)).data?.data ?? []
  const { connection_ids, types, streams } = filters
  const sources = connection_ids?.map(
    (id) => names.find(({ connection_id }) => connection_id === id)?.display_name ?? id,
  )
  return (
    <>
      {types?.join(', ') ?? 'all events'} of{' '}
      {sources === undefined ? 'all sources' : <Name text={sources.join(', ')} />}
      {streams && (
        <>
          , streams <Name text={streams.join(', ')} />
        </>
      )}
    </>
  )
}

function SubscriptionActs({
  subscription: { subscription_id, status, delivery },
}: {
  subscription: Subscription
}) {
  const { client } = useHub()
  const params = { path: { subscription_id } }
  const shownBy = ['event_subscription_list', 'event_subscription_events']
  const setTo = (wanted: 'active' | 'disabled') =>
    answerOf(client.PATCH('/v1/event-subscriptions/{subscription_id}', { params, body: { status: wanted } }))
  const isStopped = status === 'disabled' || status === 'disabled_failure'
  return (
    <span className="acts">
      {status === 'active' && (
        <>
          <Act
            shownBy={shownBy}
            act={() =>
              answerOf(
                client.POST('/v1/event-subscriptions/{subscription_id}/test-event', { params, body: {} }),
              )
            }
          >
            Send a test
          </Act>
          <Act shownBy={shownBy} act={() => setTo('disabled')}>
            Pause
          </Act>
        </>
      )}
      {isStopped && (
        <Act shownBy={shownBy} act={() => setTo('active')}>
          {delivery.pending_count > 0 ? `Deliver the ${delivery.pending_count} missed` : 'Go on'}
        </Act>
      )}
      {status !== 'disabled_revoked' && (
        <a className="button" href={`/owner/subscriptions?subscription_id=${subscription_id}`}>
          New secret…
        </a>
      )}
      <Revoke
        word="Delete"
        title="Tell this address no longer?"
        yes="Delete it"
        shownBy="event_subscription_list"
        act={() => answerOf(client.DELETE('/v1/event-subscriptions/{subscription_id}', { params }))}
      >
        Its secret and all events kept for it go with it: {delivery.pending_count} are not delivered yet.
      </Revoke>
    </span>
  )
}

/** The events kept for a receiver, in their order: what arrived, and what did not. */
function Deliveries({ subscription_id }: { subscription_id: string }) {
  const hub = useHub()
  const [cursor, setCursor] = useState<string>()
  const asked = useQuery(subscriptionEventsQuery(hub, subscription_id, cursor))
  return (
    <div className="source">
      <Answer of={asked} empty={({ data }) => data.length === 0 && 'No event is kept for it.'}>
        {({ data, has_more, next_cursor }) => (
          <>
            <ul className="panel rows">
              {data.map(({ cursor: place, delivered, event }) => (
                <li key={place} className="row event-row">
                  <Status state={delivered ? 'allowed' : 'waits'}>
                    {delivered ? 'delivered' : 'not yet'}
                  </Status>
                  <code>{event.type}</code>
                  <span className="small soft">
                    <Name text={String(event.subject ?? '')} />
                  </span>
                  <span className="faint">
                    {typeof event.time === 'string' && <Ago at={event.time} suffix=" ago" />}
                  </span>
                </li>
              ))}
            </ul>
            {(has_more || cursor !== undefined) && (
              <p className="acts">
                {cursor !== undefined && (
                  <button type="button" className="button" onClick={() => setCursor(undefined)}>
                    From the oldest
                  </button>
                )}
                {has_more && (
                  <button type="button" className="button" onClick={() => setCursor(next_cursor)}>
                    Next
                  </button>
                )}
              </p>
            )}
          </>
        )}
      </Answer>
    </div>
  )
}
