import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { answerOf } from '../../../api/client'
import { useHub } from '../../../api/hub'
import { Changes, groupsOf } from '../../../parts/changes'
import { Answer, Fault } from '../../../parts/panel'
import { PowerList } from '../../../parts/power-list'
import type { Draft } from './draft'

export interface Base {
  readonly version: string
  readonly state_id: string
}

/** What would change, before it is proposed; and why. */
export function Send(props: {
  draft: Draft
  base: Base | undefined
  /** Whether the draft came from outside, and so is held against the allowlist. */
  isImport: boolean
  back: () => void
  sent: () => void
}) {
  const { draft, base, isImport, back, sent } = props
  const hub = useHub()
  const navigate = useNavigate()
  const [intent, setIntent] = useState('')
  const { flow_id, version } = draft.flow
  const bundle = { ...draft }
  const propose = useMutation({
    mutationFn: () => {
      const why = intent.trim()
      if (base) {
        const from = { base_version: base.version, base_state_id: base.state_id }
        const params = { path: { id: flow_id } }
        const body = { bundle, intent: why, ...from }
        return answerOf(hub.client.POST('/api/v1/flows/{id}/proposals', { params, body }))
      }
      const body = { bundle, intent: why }
      return isImport
        ? answerOf(hub.client.POST('/api/v1/flows/import', { body }))
        : answerOf(hub.client.POST('/api/v1/flows', { body }))
    },
    onSuccess: ({ proposal_id }) => {
      sent()
      void navigate({
        to: '/inbox',
        search: ({ vault }) => ({ ...(vault && { vault }), item: `proposal:${proposal_id}` }),
      })
    },
  })
  return (
    <>
      {base ? (
        <Differences draft={draft} base={base} />
      ) : (
        <p className="lead">A new flow: all of it is new.</p>
      )}
      <div className="panel flow-form">
        <label className="field">
          <span>
            Why <span className="small faint">whoever reviews it reads this first</span>
          </span>
          <textarea
            rows={3}
            value={intent}
            maxLength={2_000}
            onChange={({ target }) => setIntent(target.value)}
          />
        </label>
        {propose.error && <Fault error={propose.error} />}
      </div>
      <footer className="decision">
        <p className="small soft">
          It waits in the inbox until you or another approver decides. Nothing changes before.
        </p>
        <div className="acts">
          <button type="button" className="button" onClick={back}>
            Back to the form
          </button>
          <button
            type="button"
            className="button main"
            disabled={intent.trim() === '' || propose.isPending}
            onClick={() => propose.mutate()}
          >
            Propose {version}
          </button>
        </div>
      </footer>
    </>
  )
}

function Differences({ draft, base }: { draft: Draft; base: Base }) {
  const { vault, client } = useHub()
  const id = draft.flow.flow_id
  const compared = useQuery({
    queryKey: ['flow_compare', vault, base.version, draft],
    queryFn: ({ signal }) => {
      const body = { base: base.version, bundle: { ...draft } }
      return answerOf(client.POST('/api/v1/flows/{id}/compare', { params: { path: { id } }, body, signal }))
    },
    gcTime: 0,
  })
  return (
    <Answer of={compared} rows={6}>
      {(found) => (
        <>
          <PowerList power={found.power} isNew={false} />
          <Changes groups={groupsOf(found)} isCut={found.diff.truncated} />
        </>
      )}
    </Answer>
  )
}
