import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import { pinReviewsQuery, policyQuery } from '../../api/policy-queries'
import { grantsQuery, recordQuery } from '../../api/queries'
import { useLockChange } from '../../frame/stop'
import type { AuditRecord } from '../../parts/bars'
import { useLabels } from '../../parts/named'
import { OpenGate } from '../../parts/open-gate'
import { Fault } from '../../parts/panel'
import { callerWords } from '../../parts/record-words'
import { Revoke } from '../../parts/revoke'
import { Status } from '../../parts/status'
import { Name } from '../../parts/words'

function useRecord(seq: number): AuditRecord | undefined {
  return useQuery(recordQuery(useHub(), seq)).data?.find((one) => one.seq === seq)
}

/** What would make a condition hold, by its name: a button, or where to look. */
export function Mend({ seq, condition }: { seq: number; condition: string }) {
  const record = useRecord(seq)
  if (!record) return null
  const Act = MENDS[condition]
  return Act ? (
    <span className="mend">
      <Act record={record} />
    </span>
  ) : null
}

interface Given {
  readonly record: AuditRecord
}

const MENDS: Readonly<Record<string, (given: Given) => React.ReactNode>> = {
  'calls are not locked': Unlock,
  'credential is not locked': Unlock,
  'grant is not locked': Unlock,
  'gate is open': Gate,
  'policy does not forbid external agents': ToPolicy,
  'credential counts': NewToken,
  'grant exists': GrantAnew,
  'grant is not revoked': GrantAnew,
  'grant has not expired': GrantAnew,
  'grant is for this flow and version': GrantAnew,
  'grant includes the tool': GrantAnew,
  'invocations are left': GrantAnew,
  'allowlist has the tool': ToAllowlist,
  'tools are as they were reviewed': ToReview,
  'scopes of callers can be told': ToHealth,
  'version is approved': ToFlow,
  'owner is asked first': ToInbox,
  'calls of this minute are left': ToPolicy,
}

function GrantAnew({ record }: Given) {
  const { flow_id, target_id } = record
  return (
    <Link
      to="/agents"
      className="button"
      search={({ vault }) => ({
        ...(vault && { vault }),
        tab: 'grants',
        make: 'grant',
        ...(flow_id !== null && { flow: flow_id }),
        ...(target_id !== null && { tool: target_id }),
      })}
    >
      New grant{target_id !== null && ` with ${target_id}`}…
    </Link>
  )
}

function Unlock() {
  return (
    <Link to="/agents" className="button" search={({ vault }) => ({ ...(vault && { vault }), tab: 'locks' })}>
      What is stopped
    </Link>
  )
}

function Gate() {
  const policy = useQuery(policyQuery(useHub())).data
  const gate = policy?.gates.find((one) => one.gate === 'external_agent')
  if (!policy || !gate || gate.set_by === 'environment' || gate.forbidden_by !== null) return <ToPolicy />
  return <OpenGate gate={gate.gate} setting={gate.setting} revision={policy.revision} />
}

function ToPolicy() {
  return (
    <Link to="/tools" className="button" search={({ vault }) => ({ ...(vault && { vault }), tab: 'policy' })}>
      Open the policy
    </Link>
  )
}

function ToAllowlist() {
  return (
    <Link
      to="/tools"
      className="button"
      search={({ vault }) => ({ ...(vault && { vault }), tab: 'providers' })}
    >
      Take the tool in
    </Link>
  )
}

function ToReview({ record }: Given) {
  const reviews = useQuery(pinReviewsQuery(useHub())).data?.data ?? []
  const review = reviews.find(({ tool_id }) => tool_id === record.target_id)
  return (
    <Link
      to="/inbox"
      className="button"
      search={({ vault }) => ({
        ...(vault && { vault }),
        ...(review && { item: `pin:${review.review_id}` }),
      })}
    >
      Compare what changed
    </Link>
  )
}

function NewToken() {
  return (
    <Link
      to="/agents"
      className="button"
      search={({ vault }) => ({ ...(vault && { vault }), tab: 'tokens', make: 'token' })}
    >
      New token…
    </Link>
  )
}

function ToFlow({ record }: Given) {
  if (record.flow_id === null) return null
  return (
    <Link to="/flows/$flow_id" className="button" params={{ flow_id: record.flow_id }}>
      Open the flow
    </Link>
  )
}

function ToInbox() {
  return (
    <Link to="/inbox" className="button">
      Open the inbox
    </Link>
  )
}

function ToHealth() {
  return (
    <Link to="/" className="button">
      What is wrong
    </Link>
  )
}

/** The ways on from a refusal; leaving it as it is comes first. */
export function WhatYouCanDo({ seq, close }: { seq: number; close: () => void }) {
  const hub = useHub()
  const record = useRecord(seq)
  const labels = useLabels()
  const { stop } = useLockChange()
  const grants = useQuery(grantsQuery(hub)).data?.grants ?? []
  if (!record) return null
  const { grant_id } = record
  const isLive = grants.some((one) => one.grant_id === grant_id && one.revoked_at === null)
  return (
    <footer className="side-foot">
      <p className="small faint">What you can do</p>
      {stop.error && <Fault error={stop.error} />}
      <div className="acts">
        <button type="button" className="button" onClick={close}>
          Leave it refused
        </button>
        {grant_id !== null && isLive && (
          <Revoke
            word="Revoke the grant"
            title="Revoke this grant?"
            yes="Revoke it"
            shownBy="flow_external_grant_list"
            act={() =>
              answerOf(
                hub.client.DELETE('/api/v1/flows/external-grants/{grant_id}', {
                  params: { path: { grant_id } },
                }),
              )
            }
          >
            From the next call on it opens nothing, for good.
          </Revoke>
        )}
        {stop.data ? (
          <Status state="stopped" />
        ) : (
          <button
            type="button"
            className="button danger"
            disabled={stop.isPending}
            onClick={() => stop.mutate({ kind: 'agent', id: record.caller_id })}
          >
            Stop <Name text={callerWords(record, labels)} />
          </button>
        )}
      </div>
    </footer>
  )
}
