import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useHub } from '../../api/hub'
import { policyQuery } from '../../api/policy-queries'
import { connectionsQuery, doctorQuery, locksQuery, whoamiQuery } from '../../api/queries'
import { Answer, Panel } from '../../parts/panel'
import { type StateName, Status } from '../../parts/status'
import { Name } from '../../parts/words'

/** The gates as people call them; the flag itself is on hover. */
const GATES: Readonly<Record<string, string>> = {
  FLOW_EXTERNAL_AGENT_ENABLED: 'External agents',
  FLOW_AUTHORING_WRITES: 'Writing flows',
  FLOW_RUN_WRITES_ENABLED: 'Flow runs',
}
const FINDINGS: Readonly<Record<string, string>> = { 'audit chain': 'Audit log', backup: 'Backup' }
const STATES: Readonly<Record<'on' | 'off' | 'ok' | 'wrong', StateName>> = {
  on: 'on',
  off: 'off',
  ok: 'intact',
  wrong: 'failed',
}
const WORDS = { on: 'on', off: 'off', ok: 'sound', wrong: 'wrong' } as const

/** What is on, and which control decides it; all that the doctor knows is in the settings. */
export function WhatIsOn() {
  const hub = useHub()
  const doctor = useQuery(doctorQuery(hub))
  const revision = useQuery(whoamiQuery(hub)).data?.policy_revision
  return (
    <Panel
      title="What is on"
      note={revision !== undefined && `policy ${revision.slice(0, 8)}`}
      aside={
        <Link to="/tools" search={({ vault }) => ({ ...(vault && { vault }), tab: 'policy' })}>
          Policy
        </Link>
      }
    >
      <Answer of={doctor} rows={8}>
        {({ findings }) => {
          const named = (names: Readonly<Record<string, string>>) =>
            findings.flatMap(({ subject, state, detail }) => {
              const name = names[subject]
              return name === undefined ? [] : [{ subject, name, state, detail }]
            })
          const wrong = findings.filter(({ state, subject }) => state === 'wrong' && !(subject in FINDINGS))
          return (
            <ul className="rows">
              {wrong.map(({ subject, detail }) => (
                <OnRow key={subject} name={subject} detail={<Name text={detail} />} state="failed">
                  wrong
                </OnRow>
              ))}
              {named(GATES).map(({ subject, name, state, detail }) => (
                <OnRow key={subject} name={name} hint={subject} detail={detail} state={STATES[state]}>
                  {WORDS[state]}
                </OnRow>
              ))}
              <ToolsRow />
              <SourcesRow />
              <LocksRow />
              {named(FINDINGS).map(({ subject, name, state, detail }) => (
                <OnRow key={subject} name={name} detail={<Name text={detail} />} state={STATES[state]}>
                  {WORDS[state]}
                </OnRow>
              ))}
            </ul>
          )
        }}
      </Answer>
      <p className="note last-note small">
        <Link to="/settings" search={({ vault }) => ({ ...(vault && { vault }), tab: 'health' })}>
          All that the doctor looked at
        </Link>
      </p>
    </Panel>
  )
}

function OnRow(props: {
  name: string
  hint?: string
  detail: ReactNode
  state: StateName
  children: ReactNode
}) {
  return (
    <li className="on-row">
      <div>
        <span title={props.hint}>{props.name}</span>
        <p className="small soft clamp">{props.detail}</p>
      </div>
      <Status state={props.state}>{props.children}</Status>
    </li>
  )
}

function ToolsRow() {
  const tools = useQuery(policyQuery(useHub())).data?.tools
  if (!tools) return null
  const asking = tools.filter(({ approval }) => approval !== 'never').length
  const detail = asking === 0 ? 'none asks you first' : `${asking} of them ask you first`
  return (
    <OnRow name="Tools on the allowlist" detail={detail} state={tools.length === 0 ? 'off' : 'on'}>
      {tools.length}
    </OnRow>
  )
}

function SourcesRow() {
  const connections = useQuery(connectionsQuery(useHub())).data?.data
  if (!connections) return null
  const sound = connections.filter(({ status }) => status === 'active').length
  if (connections.length === 0)
    return (
      <OnRow name="Sources" detail="nothing is collected" state="off">
        none
      </OnRow>
    )
  const isAll = sound === connections.length
  return (
    <OnRow
      name="Sources"
      detail={isAll ? 'all of them may collect' : 'the others do not collect now'}
      state={isAll ? 'on' : 'waits'}
    >
      {sound} of {connections.length}
    </OnRow>
  )
}

function LocksRow() {
  const locks = useQuery(locksQuery(useHub())).data?.locks
  if (!locks) return null
  const isAll = locks.some(({ kind }) => kind === 'all')
  const detail = isAll ? 'everything' : locks.length === 0 ? 'no agent, no service, not everything' : 'some'
  return (
    <OnRow name="Stopped" detail={detail} state={locks.length === 0 ? 'off' : 'stopped'}>
      {locks.length === 0 ? 'none' : locks.length}
    </OnRow>
  )
}
