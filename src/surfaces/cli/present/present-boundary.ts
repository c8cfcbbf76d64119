import { counted } from '../../../platform/basics/counted.ts'
import { withNextPage } from './list-end.ts'
import type { Page } from './page.ts'
import { renderPairs } from './present-any.ts'
import { printable } from './printable.ts'
import { cellOf, renderTable } from './table.ts'

interface Execution {
  run_id: string
  tenant_id: string
  robot_id: string
  execution_id: string
  attempt: number
  engine: string
  state: string
  run_mode: string
  coherence_status: string
  objective: { type: string; action: string }
  progress: { share: number; note: string | null } | null
  outcome: {
    status: string
    error: { code: string; message: string; retryable: boolean } | null
    violations: { path: string; message: string }[]
    cancel_reason: string | null
    artifact_ledger_ids: string[]
    event_ledger_id: string | null
    dead_letter_id: string | null
    reported: { message: string | null } | null
    duration_ms: number | null
  } | null
}

/** One execution: what it is, how it stands, and what came of it. */
export function presentExecution(body: unknown, page: Page): string {
  const { execution, idempotent } = body as { execution: Execution; idempotent: boolean }
  const { progress, outcome } = execution
  const pairs: [string, unknown][] = [
    ['run', execution.run_id],
    ['execution', `${execution.execution_id} of ${execution.robot_id}, tenant ${execution.tenant_id}`],
    ['attempt', execution.attempt],
    ['engine', execution.engine],
    ['objective', `${execution.objective.action} ${execution.objective.type}`],
    ['mode', `${execution.run_mode}, snapshot ${execution.coherence_status}`],
    ['state', `${execution.state}${idempotent ? ' (nothing was changed by asking)' : ''}`],
  ]
  if (progress) pairs.push(['progress', `${Math.round(progress.share * 100)} % ${progress.note ?? ''}`])
  if (outcome) pairs.push(...outcomePairs(outcome))
  const violations = outcome?.violations ?? []
  if (violations.length === 0) return renderPairs(pairs, page)
  const rows = violations.map(({ path, message }) => [path || 'the document', message])
  return `${renderPairs(pairs, page)}\n\n${renderTable(['path', 'violation'], rows, page)}`
}

function outcomePairs(outcome: NonNullable<Execution['outcome']>): [string, unknown][] {
  const { error, cancel_reason, reported, dead_letter_id } = outcome
  const pairs: [string, unknown][] = [['outcome', outcome.status]]
  if (error)
    pairs.push([
      'error',
      `${error.code}: ${error.message}${error.retryable ? ' It may be tried again.' : ''}`,
    ])
  if (reported?.message) pairs.push(['engine says', reported.message])
  if (cancel_reason !== null) pairs.push(['cancelled', cancel_reason])
  if (outcome.artifact_ledger_ids.length > 0) pairs.push(['artifacts', outcome.artifact_ledger_ids])
  if (outcome.event_ledger_id !== null) pairs.push(['event', outcome.event_ledger_id])
  if (dead_letter_id !== null) pairs.push(['dead letter', dead_letter_id])
  if (outcome.duration_ms !== null) pairs.push(['took', `${outcome.duration_ms} ms`])
  return pairs
}

interface Summary
  extends Pick<Execution, 'run_id' | 'tenant_id' | 'execution_id' | 'attempt' | 'engine' | 'state'> {
  objective_type: string
  error_code: string | null
  submitted_at: string
}

/** The executions, a line each. */
export function presentExecutionList(body: unknown, page: Page): string {
  const { executions, next_cursor } = body as { executions: Summary[]; next_cursor: string | null }
  if (executions.length === 0) return 'No executions.'
  const rows = executions.map((one) => [
    one.run_id,
    one.tenant_id,
    one.execution_id,
    one.attempt,
    one.objective_type,
    one.engine,
    one.error_code ?? one.state,
    one.submitted_at,
  ])
  const headings = ['run', 'tenant', 'execution', 'attempt', 'objective', 'engine', 'state', 'submitted']
  return withNextPage(renderTable(headings, rows, page), '--cursor', next_cursor, page)
}

interface Engine {
  name: string
  kind: string
  timeout_seconds: number
  max_output_bytes: number
}

/** The engines of a vault, a line each. */
export function presentEngines(body: unknown, page: Page): string {
  const { engines } = body as { engines: Engine[] }
  if (engines.length === 0) return 'No engines. They stand under engines in policy.yaml of the vault.'
  const rows = engines.map((one) => [one.name, one.kind, `${one.timeout_seconds} s`, one.max_output_bytes])
  return renderTable(['engine', 'kind', 'time', 'output bytes'], rows, page)
}

interface DeadLetter {
  dead_letter_id: string
  run_id: string
  attempt: number
  reason: string
  created_at: string
  replayed_at: string | null
}

/** Answers that the ledger did not take, a line each. */
export function presentDeadLetters(body: unknown, page: Page): string {
  const { dead_letters, next_cursor } = body as { dead_letters: DeadLetter[]; next_cursor: string | null }
  if (dead_letters.length === 0) return 'No dead letters.'
  const rows = dead_letters.map((one) => [
    one.dead_letter_id,
    one.run_id,
    one.attempt,
    one.reason,
    one.created_at,
    one.replayed_at,
  ])
  const table = renderTable(['dead letter', 'run', 'attempt', 'reason', 'created', 'replayed'], rows, page)
  return withNextPage(table, '--cursor', next_cursor, page)
}

interface Entry {
  id: string
  tenantId: string
  module: string
  source: string
  type: string
  state: string
  createdAt: string
  seq: number
  hash: string
  payload: object
  lineage: { dependsOnLedgerIds: string[]; executionId?: string }
}

/** The entries, a line each. */
export function presentLedgerList(body: unknown, page: Page): string {
  const { entries, next_cursor } = body as { entries: Entry[]; next_cursor: string | null }
  if (entries.length === 0) return 'No entries.'
  const rows = entries.map((entry) => [
    entry.id,
    entry.tenantId,
    entry.type,
    entry.state,
    entry.source,
    entry.lineage.dependsOnLedgerIds.length,
    entry.createdAt,
  ])
  const table = renderTable(['entry', 'tenant', 'type', 'state', 'source', 'from', 'created'], rows, page)
  return withNextPage(table, '--cursor', next_cursor, page)
}

/** One entry with what is in it. */
export function presentLedgerEntry(body: unknown, page: Page): string {
  const { entry } = body as { entry: Entry }
  const { payload, lineage, ...rest } = entry
  const pairs: [string, unknown][] = [
    ...Object.entries(rest),
    ['made from', lineage.dependsOnLedgerIds],
    ['execution', lineage.executionId ?? null],
  ]
  return `${renderPairs(pairs, page)}\n\n${page.bold('payload')}\n${printable(JSON.stringify(payload, null, 2))}`
}

interface Lineage {
  direction: 'up' | 'down'
  nodes: { id: string; type: string; state: string; createdAt: string; depth: number }[]
  truncated: boolean
}

/** A walk through the lineage: the further an entry is, the further in it stands. */
export function presentLineage(body: unknown, page: Page): string {
  const { direction, nodes, truncated } = body as Lineage
  const lines = nodes.map(
    ({ id, type, state, createdAt, depth }) =>
      `${'  '.repeat(depth)}${page.bold(cellOf(id))}  ${cellOf(type)}, ${cellOf(state)}, ${cellOf(createdAt)}`,
  )
  const about = direction === 'up' ? 'Made from:' : 'What came of it:'
  return [
    lines[0],
    lines.length > 1 ? about : 'Nothing further.',
    ...lines.slice(1),
    ...(truncated ? ['… and more'] : []),
  ].join('\n')
}

interface Verification {
  intact: boolean
  fault: string | null
  tenants: { tenant_id: string; intact: boolean; entries: number; fault: string | null }[]
}

/** What was found in the chains of a vault. */
export function presentLedgerVerification(body: unknown, page: Page): string {
  const { intact, fault, tenants } = body as Verification
  const entries = tenants.reduce((sum, tenant) => sum + tenant.entries, 0)
  const amount = `${counted(entries, 'entry', 'entries')} of ${counted(tenants.length, 'tenant')}`
  const said = intact
    ? page.green(`The ledger is intact: ${amount}.`)
    : page.red(`The ledger is not intact: ${cellOf(fault)}`)
  const broken = tenants
    .filter((tenant) => !tenant.intact)
    .map(({ tenant_id, fault: why }) => [tenant_id, why])
  return broken.length === 0 ? said : `${said}\n\n${renderTable(['tenant', 'fault'], broken, page)}`
}
