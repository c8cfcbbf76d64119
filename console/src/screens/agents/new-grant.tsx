import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { grantPreviewQuery } from '../../api/agent-queries'
import { useHub } from '../../api/hub'
import { flowsQuery } from '../../api/queries'
import type { GrantPreview } from '../../api/shapes'
import { Answer, Fault } from '../../parts/panel'
import { exactTime } from '../../parts/time'
import { GateClosed } from './gate-closed'
import { LifetimeChoice, lifetimeWords } from './lifetimes'
import { Allows, ceremonyAddress, Step, StepsPanel, type Told, ToolName } from './steps'

type PreviewedTool = GrantPreview['tools'][number]

/** A grant in steps: the flow, its tools, the limits, a name. Beside them what it would allow. */
export function NewGrant({ close }: { close: () => void }) {
  const hub = useHub()
  const { flow, version, tool } = useSearch({ from: '/agents' })
  const [tools, setTools] = useState<readonly string[]>(tool === undefined ? [] : [tool])
  const [ttl, setTtl] = useState<number>()
  const [label, setLabel] = useState('')
  const preview = useQuery({
    ...grantPreviewQuery(hub, {
      flow_id: flow ?? '',
      ...(version !== undefined && { version }),
      requested_tools: tools,
      ...(ttl !== undefined && { ttl_seconds: ttl }),
    }),
    enabled: flow !== undefined,
    placeholderData: keepPreviousData,
  })
  // Of another flow there is nothing to keep.
  const shown = preview.data?.flow_id === flow ? preview.data : undefined
  const toggle = (id: string) =>
    setTools(tools.includes(id) ? tools.filter((one) => one !== id) : [...tools, id])
  const granted = shown?.tools.filter(({ state }) => state === 'granted') ?? []
  const wanted = {
    flow_id: flow,
    version: shown?.flow_version,
    requested_tools: tools,
    ttl_seconds: shown?.ttl_seconds,
    ...(label.trim() !== '' && { label: label.trim() }),
  }
  return (
    <StepsPanel title="New grant" close={close}>
      {shown && !shown.gate.open && <GateClosed detail={shown.gate.detail} />}
      <ol className="steps">
        <Step
          number={1}
          title="Flow"
          isDone={shown !== undefined}
          note={shown ? undefined : 'The reviewed procedure that the agent follows.'}
        >
          <FlowChoice shown={shown} choose={() => setTools([])} />
        </Step>
        <Step
          number={2}
          title="Tools"
          isDone={granted.length > 0}
          note={shown && `${granted.length} of ${shown.tools.length} that its steps name`}
        >
          {shown && <ToolChoice tools={shown.tools} toggle={toggle} />}
        </Step>
        <Step number={3} title="Limits" isDone={shown !== undefined}>
          {shown && (
            <>
              <LifetimeChoice chosen={shown.ttl_seconds} most={shown.terms.max_ttl_seconds} choose={setTtl} />
              <p className="small soft">
                {shown.max_invocations === 0 ? 'Any number of calls' : `${shown.max_invocations} calls`}, as
                your policy has it.
              </p>
            </>
          )}
        </Step>
        <Step
          number={4}
          title="Name"
          isDone={label.trim() !== ''}
          note="so that you know it again in Activity"
        >
          <input
            aria-label="Name of the grant"
            placeholder="Friday digest"
            value={label}
            maxLength={64}
            autoComplete="off"
            onChange={(event) => setLabel(event.target.value)}
          />
        </Step>
      </ol>
      {preview.error && <Fault error={preview.error} />}
      {shown && <Allows told={tell(shown)} />}
      <footer className="steps-foot">
        <span className="small faint">The next page mints it and shows its bearer once.</span>
        {shown?.mintable ? (
          <a className="button main" href={ceremonyAddress('grant', hub.vault, wanted)}>
            Go and mint it…
          </a>
        ) : (
          <button type="button" className="button main" disabled>
            Go and mint it…
          </button>
        )}
      </footer>
    </StepsPanel>
  )
}

function FlowChoice({ shown, choose }: { shown: GrantPreview | undefined; choose: () => void }) {
  const hub = useHub()
  const navigate = useNavigate({ from: '/agents' })
  const flows = useQuery(flowsQuery(hub))
  const go = (flow: string | undefined) => {
    choose()
    void navigate({
      search: ({ vault, tab }) => ({ ...(vault && { vault }), tab, make: 'grant', ...(flow && { flow }) }),
      replace: true,
    })
  }
  if (shown)
    return (
      <p className="chosen">
        <span>
          {shown.flow_id} <b>{shown.flow_version}</b>
        </span>
        <button type="button" className="link" onClick={() => go(undefined)}>
          Change
        </button>
      </p>
    )
  return (
    <Answer of={flows} empty={({ flows: list }) => list.length === 0 && 'There is no flow in this vault.'}>
      {({ flows: list }) => (
        <ul className="pick">
          {list.map(({ flow_id, version, title }) => (
            <li key={flow_id}>
              <button type="button" onClick={() => go(flow_id)}>
                <b>{flow_id}</b> <span className="num">{version}</span>
                <span className="small soft cut">{title}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </Answer>
  )
}

const CLOSED: Readonly<Record<PreviewedTool['state'], string>> = {
  granted: '',
  not_chosen: '',
  not_listed: 'not on the allowlist',
  changed: 'closed: its server changed it',
}

function ToolChoice({ tools, toggle }: { tools: readonly PreviewedTool[]; toggle: (id: string) => void }) {
  if (tools.length === 0) return <p className="small soft">No step of this version names a tool.</p>
  return (
    <ul className="ticks">
      {tools.map(({ tool_id, state, asks, steps }) => (
        <li key={tool_id}>
          <label>
            <input
              type="checkbox"
              checked={state === 'granted'}
              disabled={state === 'not_listed' || state === 'changed'}
              onChange={() => toggle(tool_id)}
            />
            <ToolName id={tool_id} />
            <span className="small faint">
              step {steps.join(', ')}
              {asks !== 'never' && ' · asks you'}
              {CLOSED[state] !== '' && ` · ${CLOSED[state]}`}
            </span>
          </label>
        </li>
      ))}
    </ul>
  )
}

const REFUSED: Readonly<Record<PreviewedTool['state'], string>> = {
  granted: '',
  not_chosen: 'It will be refused there.',
  not_listed: 'Your allowlist does not have it.',
  changed: 'Its server changed it since you reviewed it.',
}

function tell(preview: GrantPreview): Told[] {
  const { flow_id, flow_version, steps, tools, unknown_tools, max_invocations, expires_at, budgets } = preview
  const calls = max_invocations === 0 ? 'Any number of calls' : `${max_invocations} calls in all`
  return [
    {
      is: 'yes',
      text: (
        <>
          Read the {steps === 1 ? 'one step' : `${steps} steps`} of {flow_id} <b>{flow_version}</b>. A later
          version needs a new grant.
        </>
      ),
    },
    ...tools.filter(({ state }) => state === 'granted').map(tellTool),
    {
      is: 'until',
      text: (
        <>
          {calls}, until <b>{exactTime(expires_at)}</b>, in {lifetimeWords(preview.ttl_seconds)}.
        </>
      ),
    },
    ...(budgets?.calls_per_minute === undefined
      ? []
      : [{ is: 'until' as const, text: `At most ${budgets.calls_per_minute} calls a minute.` }]),
    ...tools
      .filter(({ state }) => state !== 'granted')
      .map(({ tool_id, state, steps: at }) => ({
        is: 'no' as const,
        text: (
          <>
            Not <ToolName id={tool_id} />, which step {at.join(', ')} names. {REFUSED[state]}
          </>
        ),
      })),
    ...unknown_tools.map((id) => ({
      is: 'no' as const,
      text: (
        <>
          Not <ToolName id={id} />: no step of this version names it.
        </>
      ),
    })),
    { is: 'no', text: 'No other flow, no write, no grant of its own, nothing without its own credential.' },
    { is: 'ends', text: 'Ends at once by Revoke, a lock, a shut gate or a tool taken off the allowlist.' },
  ]
}

function tellTool({ tool_id, asks, arguments: names }: PreviewedTool): Told {
  const call = (
    <>
      Call <ToolName id={tool_id} />
      {names !== null && (
        <>
          {' '}
          with <code>{`{${names.join(', ')}}`}</code>
        </>
      )}
    </>
  )
  if (asks === 'never') return { is: 'yes', text: <>{call}.</> }
  const when =
    asks === 'each_call' ? 'each time only after you said yes' : 'after you said yes to its arguments'
  return {
    is: 'asks',
    text: (
      <>
        {call}, {when}.
      </>
    ),
  }
}
