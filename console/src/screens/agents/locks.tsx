import { useQuery } from '@tanstack/react-query'
import { useHub } from '../../api/hub'
import { locksQuery, recordsQuery } from '../../api/queries'
import { LetGoOn } from '../../frame/stop'
import { useLabels } from '../../parts/named'
import { Answer, Panel } from '../../parts/panel'
import { callerWords } from '../../parts/record-words'
import { Status } from '../../parts/status'
import { Ago } from '../../parts/time'
import { Name } from '../../parts/words'

const HISTORY = 50

/** What is stopped now, and who stopped and let go on what before. */
export function Locks() {
  const hub = useHub()
  const locks = useQuery(locksQuery(hub))
  return (
    <>
      <Panel title="Stopped now" note="a stop counts from the next call, everywhere">
        <Answer of={locks} empty={({ locks: held }) => held.length === 0 && 'Nothing is stopped.'}>
          {({ locks: held }) => (
            <ul className="rows">
              {held.map((lock) => (
                <li key={`${lock.kind} ${lock.id}`} className="row seat-row">
                  <div>
                    <b>{lock.kind === 'all' ? 'Everything' : <Name text={lock.id} />}</b>{' '}
                    <span className="soft">{lock.kind}</span>
                    <p className="small soft">
                      <Ago at={lock.locked_at} suffix=" ago" /> by <Name text={lock.locked_by} />
                      {lock.reason !== null && (
                        <>
                          : “<Name text={lock.reason} />”
                        </>
                      )}
                    </p>
                  </div>
                  <Status state="stopped" />
                  <LetGoOn lock={lock} />
                </li>
              ))}
            </ul>
          )}
        </Answer>
      </Panel>
      <History />
    </>
  )
}

const DEEDS = { lock_add: 'stopped', lock_release: 'let go on' } as const

function History() {
  const hub = useHub()
  const labels = useLabels()
  const added = useQuery(recordsQuery(hub, { operation: 'lock_add', limit: HISTORY }))
  const released = useQuery(recordsQuery(hub, { operation: 'lock_release', limit: HISTORY }))
  const records = [...(added.data?.records ?? []), ...(released.data?.records ?? [])]
    .toSorted((one, other) => other.seq - one.seq)
    .slice(0, HISTORY)
  return (
    <Panel title="History" note="as the audit log has it">
      <Answer of={added} empty={() => records.length === 0 && 'Nothing was stopped so far.'}>
        {() => (
          <ul className="rows">
            {records.map((record) => (
              <li key={record.seq} className="row ended-row">
                <span>
                  <b>
                    <Name text={callerWords(record, labels)} />
                  </b>{' '}
                  {record.outcome === 'allowed' ? '' : 'tried: '}
                  {DEEDS[record.operation as keyof typeof DEEDS]}{' '}
                  {record.target_id !== null && <Name text={labels[record.target_id] ?? record.target_id} />}
                </span>
                <span className="soft">{record.target_kind}</span>
                <span className="soft">
                  <Ago at={record.at} suffix=" ago" />
                </span>
                <span className="num faint">{record.seq}</span>
              </li>
            ))}
          </ul>
        )}
      </Answer>
    </Panel>
  )
}
