import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { answerOf } from '../../api/client'
import { entriesQuery, entryQuery, growthQuery, ledgerProofQuery } from '../../api/data-queries'
import { useHub } from '../../api/hub'
import { Id } from '../../parts/id'
import { Answer, Fault, Panel } from '../../parts/panel'
import { SaveLines } from '../../parts/save-lines'
import { Status } from '../../parts/status'
import { Ago } from '../../parts/time'
import { ValueBars } from '../../parts/value-bars'
import { Foreign, Name } from '../../parts/words'
import { Lineage } from './lineage'

/** What engines made, as the ledger keeps it, and from what. */
export function Ledger({ item }: { item: string | undefined }) {
  const hub = useHub()
  const entries = useQuery(entriesQuery(hub))
  return (
    <>
      {item !== undefined && <Entry key={item} ledger_id={item} />}
      <Panel title="Entries" note="the newest first" aside={<Proof />}>
        <Answer of={entries} empty={({ entries: list }) => list.length === 0 && 'The ledger is empty.'}>
          {({ entries: list, next_cursor }) => (
            <>
              <Growth />
              <ul className="rows">
                {list.map(({ id, type, state, source, tenantId, createdAt, lineage }) => (
                  <li key={id} className={`row entry-row ${item === id ? 'is-chosen' : ''}`}>
                    <Link
                      to="/data"
                      search={({ vault }) => ({ ...(vault && { vault }), tab: 'ledger' as const, item: id })}
                    >
                      <b>{type}</b>
                    </Link>
                    <span className="soft">{state}</span>
                    <span>
                      <Name text={source} /> <span className="faint">for</span> <Name text={tenantId} />
                    </span>
                    <span className="small faint">from {lineage.dependsOnLedgerIds.length}</span>
                    <span className="faint">
                      <Ago at={createdAt} suffix=" ago" />
                    </span>
                  </li>
                ))}
              </ul>
              {next_cursor !== null && (
                <p className="empty">
                  Older ones: <code>knowtation ledger list</code>
                </p>
              )}
            </>
          )}
        </Answer>
      </Panel>
    </>
  )
}

/** How much came on each of the last days. */
function Growth() {
  const hub = useHub()
  const { data } = useQuery(growthQuery(hub))
  if (!data || data.entries === 0) return null
  return (
    <ValueBars
      label={`Entries of the last ${data.days.length} days${data.complete ? '' : ', as far as counted'}`}
      unit="entries"
      bars={data.days.map(({ day, entries }) => ({ key: day, at: day, value: entries }))}
    />
  )
}

function Proof() {
  const hub = useHub()
  const proof = useQuery({ ...ledgerProofQuery(hub), enabled: false })
  return (
    <span className="chain">
      {proof.data && (
        <Status state={proof.data.intact ? 'intact' : 'failed'}>
          {proof.data.intact ? `intact, ${proof.data.tenants.length} tenants` : proof.data.fault}
        </Status>
      )}
      {proof.error && <Fault error={proof.error} />}
      <button
        type="button"
        className="button"
        disabled={proof.isFetching}
        onClick={() => void proof.refetch()}
      >
        {proof.isFetching ? 'Verifying…' : 'Verify'}
      </button>
    </span>
  )
}

function Entry({ ledger_id }: { ledger_id: string }) {
  const hub = useHub()
  const asked = useQuery(entryQuery(hub, ledger_id))
  return (
    <Panel
      title="One entry"
      aside={
        <Link to="/data" search={({ vault }) => ({ ...(vault && { vault }), tab: 'ledger' as const })}>
          Close
        </Link>
      }
    >
      <Answer of={asked}>
        {({ entry }) => (
          <div className="source">
            <p>
              <b>{entry.type}</b> {entry.state}, made by <Name text={entry.source} />{' '}
              <Ago at={entry.createdAt} suffix=" ago" /> · <Id id={entry.id} />
            </p>
            <Lineage ledger_id={ledger_id} />
            <h3>What it holds</h3>
            <Foreign block by={entry.source} text={JSON.stringify(entry.payload, null, 2)} />
            <p className="acts">
              <SaveLines
                title={
                  <>
                    Export the ledger of <Name text={entry.tenantId} />?
                  </>
                }
                file="ledger.jsonl"
                page={(after_seq) =>
                  answerOf(
                    hub.client.GET('/api/v1/ledger/export', {
                      params: {
                        query: { tenant_id: entry.tenantId, ...(after_seq !== undefined && { after_seq }) },
                      },
                    }),
                  )
                }
              >
                <p>
                  All entries of this tenant as signed lines, the oldest first. Whoever has the file can check
                  it with <code>knowtation ledger verify --file ledger.jsonl</code>.
                </p>
              </SaveLines>
            </p>
          </div>
        )}
      </Answer>
    </Panel>
  )
}
