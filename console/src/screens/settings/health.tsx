import { useQuery } from '@tanstack/react-query'
import { useHub } from '../../api/hub'
import { chainQuery, doctorQuery } from '../../api/queries'
import { Answer, Panel } from '../../parts/panel'
import { type StateName, Status } from '../../parts/status'
import { Name } from '../../parts/words'

type Finding = 'on' | 'off' | 'ok' | 'wrong'
const STATES: Readonly<Record<Finding, StateName>> = { on: 'on', off: 'off', ok: 'intact', wrong: 'failed' }
const ORDER: readonly Finding[] = ['wrong', 'on', 'off', 'ok']

/** Is the hub sound? All that `doctor` looked at, with the fix of each thing that wants one. */
export function Health() {
  const hub = useHub()
  const doctor = useQuery(doctorQuery(hub))
  return (
    <>
      <Chain />
      <Panel
        title="Doctor"
        note="the same as `knowtation doctor`"
        aside={
          <button
            type="button"
            className="button"
            disabled={doctor.isFetching}
            onClick={() => void doctor.refetch()}
          >
            {doctor.isFetching ? 'Looking…' : 'Look again'}
          </button>
        }
      >
        <Answer of={doctor} rows={10}>
          {({ findings }) => (
            <ul className="rows">
              {findings
                .toSorted((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state))
                .map(({ subject, state, detail, fix }) => (
                  <li key={subject} className="on-row">
                    <div>
                      <b>{subject}</b>
                      <p className="soft">
                        <Name text={detail} />
                      </p>
                      {fix !== null && (
                        <p className="small">
                          To mend it: <Name text={fix} />
                        </p>
                      )}
                    </div>
                    <Status state={STATES[state]}>{state}</Status>
                  </li>
                ))}
            </ul>
          )}
        </Answer>
      </Panel>
    </>
  )
}

function Chain() {
  const chain = useQuery(chainQuery(useHub()))
  return (
    <Panel
      title="Audit log"
      aside={
        <button
          type="button"
          className="button"
          disabled={chain.isFetching}
          onClick={() => void chain.refetch()}
        >
          {chain.isFetching ? 'Checking…' : 'Check it again'}
        </button>
      }
    >
      <Answer of={chain} rows={1}>
        {({ intact, records }) => (
          <p className="note last-note">
            <Status state={intact ? 'intact' : 'failed'}>
              {intact ? 'intact' : 'it was changed behind the back of the hub'}
            </Status>{' '}
            <span className="soft">{records} records, each sealed to the one before</span>
          </p>
        )}
      </Answer>
    </Panel>
  )
}
