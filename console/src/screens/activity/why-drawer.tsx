import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useHub } from '../../api/hub'
import { explainQuery, recordQuery } from '../../api/queries'
import { Icon } from '../../parts/icon'
import { useLabels } from '../../parts/named'
import { Answer } from '../../parts/panel'
import { callerWords, meaningOf } from '../../parts/record-words'
import { Ago } from '../../parts/time'
import { Name } from '../../parts/words'
import { Mend, WhatYouCanDo } from './mend'

/** Why a call was refused: what the agent heard, and all conditions in the order in which they are checked. */
export function WhyDrawer({ seq, close }: { seq: number; close: () => void }) {
  const hub = useHub()
  const explained = useQuery(explainQuery(hub, seq))
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} className="drawer" onClose={close} aria-label="Why was this refused?">
      <header className="side-head">
        <h2>
          <Icon name="refused" className="tone-no" /> Why was this refused?
        </h2>
        <button type="button" className="icon-button" onClick={close} aria-label="Close">
          <Icon name="cross" />
        </button>
      </header>
      <Answer of={explained} rows={12}>
        {({ conditions, recorded, policy_revision, allowed }) => (
          <>
            <WhoCalled seq={seq} />
            {recorded && (
              <div className="card halves">
                <div>
                  <p className="small faint">The agent heard</p>
                  <code>{recorded.code ?? recorded.outcome}</code>
                </div>
                <div>
                  <p className="small faint">It means</p>
                  {meaningOf(recorded.code)}, <Ago at={recorded.at} suffix=" ago" />
                </div>
              </div>
            )}
            <h3>{conditions.length} conditions, in the order in which a call is checked</h3>
            <ol className="conditions">
              {conditions.map(({ condition, holds, detail }, place) => (
                <li key={condition} className={holds ? '' : 'is-failed'}>
                  <span className="tiny faint num">{place + 1}</span>
                  <Icon name={holds ? 'check' : 'refused'} className={holds ? 'tone-ok' : 'tone-no'} />
                  <span>
                    {holds ? condition : <b>{condition}</b>}
                    {!holds && <b className="tone-no"> does not hold</b>}
                  </span>
                  <span className="soft">
                    <Name text={detail} />
                  </span>
                  {!holds && <Mend seq={seq} condition={condition} />}
                </li>
              ))}
            </ol>
            <p className="small faint">
              Judged now, with policy {policy_revision.slice(0, 8)}. Arguments are not kept, so their check is
              not repeated.{allowed && ' Now the call would be let through.'}
            </p>
            <WhatYouCanDo seq={seq} close={close} />
          </>
        )}
      </Answer>
    </dialog>
  )
}

/** Who called what under which grant, by the owner's names. */
function WhoCalled({ seq }: { seq: number }) {
  const record = useQuery(recordQuery(useHub(), seq)).data?.find((one) => one.seq === seq)
  const labels = useLabels()
  if (!record) return null
  const { grant_id, flow_id, flow_version, target_id } = record
  return (
    <p className="who-called">
      <b>
        <Name text={callerWords(record, labels)} />
      </b>{' '}
      called <code>{target_id ?? 'an unlisted tool'}</code> <Ago at={record.at} suffix=" ago" />
      {grant_id !== null && (
        <>
          , under{' '}
          <Link to="/activity" search={({ vault }) => ({ ...(vault && { vault }), grant: grant_id })}>
            {labels[grant_id] === undefined ? `${flow_id} ${flow_version}` : <Name text={labels[grant_id]} />}
          </Link>
        </>
      )}
    </p>
  )
}
