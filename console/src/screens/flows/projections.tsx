import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { flowTextQuery, TEXT_FORMS } from '../../api/flow-queries'
import { useHub } from '../../api/hub'
import { PROJECTIONS, projectionQuery } from '../../api/queries'
import { Answer, Panel } from '../../parts/panel'
import { Status } from '../../parts/status'
import { TextOut } from '../../parts/text-out'

const FILES = {
  cursor_rule: ['mdc', 'text/markdown'],
  cli_runbook: ['md', 'text/markdown'],
  agent_bundle: ['json', 'application/json'],
  markdown: ['md', 'text/markdown'],
  yaml: ['yaml', 'application/yaml'],
  json: ['json', 'application/json'],
} as const
interface Shown {
  readonly flow_id: string
  readonly version: string
}

/** The forms in which a flow leaves the hub: for programs that follow it, and for people who keep or edit it. */
export function Projections({ flow_id, version }: Shown) {
  return (
    <>
      <AsProgramsRead flow_id={flow_id} version={version} />
      <AsText flow_id={flow_id} version={version} />
    </>
  )
}

function AsProgramsRead({ flow_id, version }: Shown) {
  const hub = useHub()
  const [harness, setHarness] = useState<(typeof PROJECTIONS)[number]>('cli_runbook')
  const asked = useQuery(projectionQuery(hub, flow_id, harness, version))
  const [ending, type] = FILES[harness]
  return (
    <Panel
      title="As a program reads it"
      aside={<Choice of={PROJECTIONS} chosen={harness} choose={setHarness} />}
    >
      <Answer of={asked}>
        {({ projection, staleness, generator }) => (
          <>
            <p className="note">
              <Status state={staleness.stale ? 'warning' : 'intact'}>
                {staleness.stale
                  ? `The flow is at ${staleness.latest_version} by now.`
                  : 'Of the newest version.'}
              </Status>{' '}
              <span className="soft">
                Content <code>{generator.content_hash.slice(0, 20)}…</code>
                {projection.fidelity.dropped_fields.length > 0 &&
                  ` · left out: ${projection.fidelity.dropped_fields.join(', ')}`}
              </span>
            </p>
            <TextOut text={projection.rendered} file={`${flow_id}.${ending}`} type={type} />
          </>
        )}
      </Answer>
    </Panel>
  )
}

function AsText({ flow_id, version }: Shown) {
  const hub = useHub()
  const [format, setFormat] = useState<(typeof TEXT_FORMS)[number]>('markdown')
  const asked = useQuery(flowTextQuery(hub, flow_id, format, version))
  const [ending, type] = FILES[format]
  return (
    <Panel
      title="To keep, or to edit elsewhere"
      note="Propose an edit takes it back"
      aside={<Choice of={TEXT_FORMS} chosen={format} choose={setFormat} />}
    >
      <Answer of={asked}>
        {({ text }) => <TextOut text={text} file={`${flow_id}-${version}.${ending}`} type={type} />}
      </Answer>
    </Panel>
  )
}

function Choice<Name extends string>(props: {
  of: readonly Name[]
  chosen: Name
  choose: (name: Name) => void
}) {
  return (
    <span className="choice" role="group" aria-label="Form">
      {props.of.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={props.chosen === name}
          onClick={() => props.choose(name)}
        >
          {name.replace('_', ' ')}
        </button>
      ))}
    </span>
  )
}
