import '../flows.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useBlocker, useParams } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { flowExportQuery, versionsQuery } from '../../../api/flow-queries'
import { useHub } from '../../../api/hub'
import { Ask } from '../../../parts/ask'
import { Answer, Fault } from '../../../parts/panel'
import { Status } from '../../../parts/status'
import { type Draft, draftOf, emptyDraft, placeWords } from './draft'
import { DraftForm } from './draft-form'
import { FromText } from './from-text'
import { type Base, Send } from './send'
import { type Check, useCheck } from './use-check'

/** The next version of a flow, written in a form; it begins as the newest one is. */
export function EditPage() {
  const { flow_id } = useParams({ from: '/flows/$flow_id/edit' })
  const hub = useHub()
  const versions = useQuery(versionsQuery(hub, flow_id))
  const bundle = useQuery(flowExportQuery(hub, flow_id))
  return (
    <div className="page reading-page">
      <p className="small">
        <Link to="/flows/$flow_id" params={{ flow_id }} search={({ vault }) => ({ ...(vault && { vault }) })}>
          ‹ {flow_id}
        </Link>
      </p>
      <Answer of={bundle} rows={10}>
        {(newest) => (
          <Answer of={versions} rows={1}>
            {({ versions: known }) => <Editing newest={newest} known={known} />}
          </Answer>
        )}
      </Answer>
    </div>
  )
}

/** What is typed stays: the draft was made once, and what comes live only says that the flow has moved on. */
function Editing({ newest, known }: { newest: Draft; known: readonly Base[] }) {
  const [begun, setBegun] = useState(newest)
  const [round, setRound] = useState(0)
  const base = known.find(({ version }) => version === begun.flow.version)
  const again = () => {
    setBegun(newest)
    setRound(round + 1)
  }
  return (
    <>
      {newest.flow.version !== begun.flow.version && (
        <div className="card" role="alert">
          <Status state="warning">The flow is at {newest.flow.version} by now.</Status>
          <p>
            You began from {begun.flow.version}: this can no longer be proposed on it.{' '}
            <button type="button" className="button" onClick={again}>
              Begin again from {newest.flow.version}
            </button>
          </p>
        </div>
      )}
      <DraftEditor
        key={round}
        title={`Propose an edit of ${begun.flow.flow_id}`}
        lead={`It builds on ${begun.flow.version}, which stays as it is.`}
        start={() => draftOf(begun, new Date())}
        base={base}
      />
    </>
  )
}

/** A flow that is not there yet: typed, or taken from a file. */
export function NewFlowPage() {
  return (
    <div className="page reading-page">
      <p className="small">
        <Link to="/flows" search={({ vault }) => ({ ...(vault && { vault }) })}>
          ‹ Flows
        </Link>
      </p>
      <DraftEditor
        title="Propose a flow"
        lead="Write it here, or take it from a file. It becomes a flow once it is approved."
        start={() => emptyDraft(new Date())}
        base={undefined}
      />
    </div>
  )
}

function DraftEditor(props: { title: string; lead: string; start: () => Draft; base: Base | undefined }) {
  const { title, lead, start, base } = props
  const [first] = useState(start)
  const [draft, setDraft] = useState(first)
  const [isImport, setImport] = useState(false)
  const [isSending, setSending] = useState(false)
  const isSent = useRef(false)
  const check = useCheck(draft)
  const isTouched = draft !== first
  const take = (taken: Draft) => {
    // An edit stays one of the flow that it was begun on, whatever the text calls its version.
    const version = base ? draft.flow.version : taken.flow.version
    setDraft({ ...taken, flow: { ...taken.flow, version } })
    setImport(true)
  }
  return (
    <>
      <header className="page-head">
        <div>
          <h1>{title}</h1>
          <p className="lead">{lead}</p>
        </div>
      </header>
      <Leaving isKept={() => !isTouched || isSent.current} />
      <div className={isSending ? 'unshown' : 'flow-page'}>
        <FromText take={take} />
        <DraftForm draft={draft} setDraft={setDraft} isNew={base === undefined} fault={check.fault} />
        <footer className="decision">
          <p aria-live="polite">
            <CheckWords check={check} />
          </p>
          <div className="acts">
            <button
              type="button"
              className="button quiet"
              disabled={!isTouched}
              onClick={() => setDraft(first)}
            >
              Undo all
            </button>
            <button
              type="button"
              className="button main"
              disabled={check.state !== 'good' || !isTouched}
              onClick={() => setSending(true)}
            >
              Look at the changes
            </button>
          </div>
        </footer>
      </div>
      {isSending && (
        <Send
          draft={draft}
          base={base}
          isImport={isImport}
          back={() => setSending(false)}
          sent={() => {
            isSent.current = true
          }}
        />
      )}
    </>
  )
}

function CheckWords({ check: { state, fault, error } }: { check: Check }) {
  if (error) return <Fault error={error} />
  if (state === 'good') return <Status state="intact">A valid flow.</Status>
  if (fault)
    return (
      <Status state="warning">
        {placeWords(fault)}: {fault.words}
      </Status>
    )
  return <span className="faint">Checking…</span>
}

/** Asks before what was typed is left behind. */
function Leaving({ isKept }: { isKept: () => boolean }) {
  const { proceed, reset, status } = useBlocker({
    shouldBlockFn: () => !isKept(),
    enableBeforeUnload: () => !isKept(),
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <Ask
      title="Leave what you have written?"
      yes="Leave it"
      danger
      error={null}
      isBusy={false}
      onYes={proceed}
      close={reset}
    >
      <p>It was not proposed, and is kept nowhere.</p>
    </Ask>
  )
}
