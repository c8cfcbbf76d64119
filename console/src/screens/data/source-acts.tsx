import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { answerOf } from '../../api/client'
import { streamsQuery } from '../../api/data-queries'
import { useHub } from '../../api/hub'
import type { Connection } from '../../api/shapes'
import { Act, useAct } from '../../parts/act'
import { Ask } from '../../parts/ask'
import { Fault } from '../../parts/panel'
import { Revoke } from '../../parts/revoke'
import { Name } from '../../parts/words'

const SHOWN_BY = ['owner_connection_show', 'owner_connection_list', 'owner_connection_diagnostics'] as const

/** What can be done with a source: what takes nothing away acts at once, what does asks first. */
export function SourceActs({ connection }: { connection: Connection }) {
  const { client } = useHub()
  const { connection_id, status, supported_actions } = connection
  const [asked, setAsked] = useState<'rename' | 'delete'>()
  const params = { path: { connection_id } }
  const can = (wanted: string) =>
    supported_actions.some(({ family, status: how }) => family === wanted && how === 'supported')
  return (
    <div className="acts source-acts">
      {can('run_connection') && (
        <Act
          kind="main"
          shownBy={['owner_run_list', 'owner_run_live_list']}
          act={() => answerOf(client.POST('/v1/owner/connections/{connection_id}/run', { params, body: {} }))}
        >
          Collect now
        </Act>
      )}
      <button type="button" className="button" onClick={() => setAsked('rename')}>
        Rename…
      </button>
      {status === 'revoked' ? (
        <Act
          shownBy={SHOWN_BY}
          act={() =>
            answerOf(client.POST('/v1/owner/connections/{connection_id}/reactivate', { params, body: {} }))
          }
        >
          Take it up again
        </Act>
      ) : (
        <Revoke
          word="Revoke"
          title={
            <>
              Collect from <Name text={connection.display_name} /> no longer?
            </>
          }
          yes="Revoke it"
          shownBy={SHOWN_BY}
          act={() =>
            answerOf(client.POST('/v1/owner/connections/{connection_id}/revoke', { params, body: {} }))
          }
        >
          Its credential is not used any more, and what runs now is stopped. What was collected stays, and it
          can be taken up again.
        </Revoke>
      )}
      {can('delete_connection') && (
        <button type="button" className="button danger" onClick={() => setAsked('delete')}>
          Delete…
        </button>
      )}
      {asked === 'rename' && <Rename connection={connection} close={() => setAsked(undefined)} />}
      {asked === 'delete' && <Delete connection={connection} close={() => setAsked(undefined)} />}
    </div>
  )
}

function Rename({ connection, close }: { connection: Connection; close: () => void }) {
  const { client } = useHub()
  const [display_name, setName] = useState(connection.display_name)
  const { connection_id } = connection
  const rename = useAct(
    () =>
      answerOf(
        client.PATCH('/v1/owner/connections/{connection_id}', {
          params: { path: { connection_id } },
          body: { display_name },
        }),
      ),
    SHOWN_BY,
    close,
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    rename.mutate()
  }
  return (
    <Ask
      title="What shall it be called?"
      yes="Rename"
      error={rename.error}
      isBusy={rename.isPending}
      isReady={display_name.trim() !== ''}
      onYes={() => rename.mutate()}
      close={close}
    >
      <form onSubmit={submit}>
        <label className="field">
          <span>Name</span>
          <input value={display_name} maxLength={200} onChange={({ target }) => setName(target.value)} />
        </label>
      </form>
    </Ask>
  )
}

/** Nothing that was erased comes back, so the name is typed. */
function Delete({ connection, close }: { connection: Connection; close: () => void }) {
  const hub = useHub()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [typed, setTyped] = useState('')
  const { connection_id, display_name, schedule } = connection
  const streams = useQuery(streamsQuery(hub, connection_id))
  const remove = useAct(
    () =>
      answerOf(
        hub.client.DELETE('/v1/owner/connections/{connection_id}', { params: { path: { connection_id } } }),
      ),
    [],
    () => {
      // A list that still has it would have its rows ask for what is gone.
      queries.removeQueries({ queryKey: ['owner_connection_list'] })
      void navigate({ to: '/data', search: ({ vault }) => ({ ...(vault && { vault }) }) })
    },
  )
  const count = streams.data?.data.reduce((sum, { record_count }) => sum + record_count, 0)
  return (
    <Ask
      title={
        <>
          Delete <Name text={display_name} /> for good?
        </>
      }
      yes="Delete it for good"
      danger
      error={remove.error}
      isBusy={remove.isPending}
      isReady={count !== undefined && typed.trim() === display_name.trim()}
      onYes={() => remove.mutate()}
      close={close}
    >
      {streams.error && <Fault error={streams.error} />}
      <p>
        Erased with it:{' '}
        <b className="num">{count === undefined ? '…' : count.toLocaleString('en')} records</b> in{' '}
        {streams.data?.data.length ?? '…'} streams, the history of its runs, its credential
        {schedule !== null && ' and its schedule'}. The audit log keeps that it was there.
      </p>
      <label className="field">
        <span>Type its name to go on</span>
        <input value={typed} onChange={({ target }) => setTyped(target.value)} autoComplete="off" />
      </label>
    </Ask>
  )
}
