import { useQuery } from '@tanstack/react-query'
import { useHub } from '../../api/hub'
import { doctorQuery, whoamiQuery } from '../../api/queries'
import { Answer, Panel } from '../../parts/panel'
import { type StateName, Status } from '../../parts/status'
import { Name } from '../../parts/words'

const STATES: Readonly<Record<'on' | 'off' | 'ok' | 'wrong', StateName>> = {
  on: 'on',
  off: 'off',
  ok: 'intact',
  wrong: 'failed',
}

/** What is wrong first, then what somebody chose; what is merely sound comes last. */
const ORDER = ['wrong', 'on', 'off', 'ok'] as const

/** What is on, and which control decides it. */
export function WhatIsOn() {
  const hub = useHub()
  const doctor = useQuery(doctorQuery(hub))
  const revision = useQuery(whoamiQuery(hub)).data?.policy_revision
  return (
    <Panel title="What is on" note={revision !== undefined && `policy ${revision.slice(0, 8)}`}>
      <Answer of={doctor} rows={8}>
        {({ findings }) => (
          <ul className="rows">
            {inOrder(findings).map(({ subject, state, detail, fix }) => (
              <li key={subject} className="on-row">
                <div>
                  <b className="plain-weight">{subject}</b>
                  <p className="small soft clamp" title={fix ?? undefined}>
                    <Name text={detail} />
                  </p>
                </div>
                <Status state={STATES[state]}>{state}</Status>
              </li>
            ))}
          </ul>
        )}
      </Answer>
    </Panel>
  )
}

function inOrder<Finding extends { state: (typeof ORDER)[number] }>(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state))
}
