import { withLeftOut, withNextPage } from './list-end.ts'
import type { Page } from './page.ts'
import { renderBearer } from './secret-once.ts'
import { cellOf, renderTable } from './table.ts'

interface Session {
  session_id: string
  agent_id: string
  role: string
  service_root: string
  created_at: string
  expires_at: string
  revoked_at: string | null
}

/** A new session: its secret, which nobody can show again, and how an agent uses it. */
export function presentNewSession(body: unknown, page: Page): string {
  const { session, bearer } = body as { session: Session; bearer: string }
  const { session_id, agent_id, role, service_root, expires_at } = session
  return [
    `Session ${cellOf(session_id)}: agent ${cellOf(agent_id)}, role ${cellOf(role)}, until ${cellOf(expires_at)}.`,
    `Works in ${cellOf(service_root)}.`,
    ...renderBearer(bearer, page),
    '',
    'An MCP client sends it to http://127.0.0.1:4747/mcp in the header Authorization: Bearer <it>.',
    'Stop the agent, or end the session:',
    `  knowtation lock agent ${cellOf(agent_id)}`,
    `  knowtation tool session revoke ${cellOf(session_id)}`,
  ].join('\n')
}

/** The sessions, a line each, with what has become of them. */
export function presentSessionList(body: unknown, page: Page): string {
  const { sessions, truncated } = body as { sessions: Session[]; truncated: boolean }
  if (sessions.length === 0)
    return 'No sessions. `knowtation tool session create --service DIR --role dev` makes one.'
  const rows = sessions.map((session) => [
    session.session_id,
    session.agent_id,
    session.role,
    session.service_root,
    session.revoked_at ? `revoked ${session.revoked_at}` : `until ${session.expires_at}`,
  ])
  const table = renderTable(['session', 'agent', 'role', 'service', 'state'], rows, page)
  return withLeftOut(table, truncated, page)
}

/** One session in a line. */
export function presentSession(body: unknown, page: Page): string {
  const { session } = body as { session: Session }
  return presentSessionList({ sessions: [session], truncated: false }, page)
}

interface SecurityEvent {
  timestamp: string
  agent_id: string
  violation_type: string
  target_path: string | null
  command_args: string[]
  severity: string
  repeats?: number
}

/** The security stream, newest first. */
export function presentViolationList(body: unknown, page: Page): string {
  const { violations, next_before } = body as { violations: SecurityEvent[]; next_before: string | null }
  if (violations.length === 0) return 'No violations.'
  const rows = violations.map((event) => [
    event.timestamp,
    event.agent_id,
    event.severity,
    event.violation_type,
    event.target_path,
    event.command_args.join(' '),
    event.repeats === undefined ? '' : `×${event.repeats}`,
  ])
  const headings = ['at', 'agent', 'severity', 'what', 'path', 'call', '']
  return withNextPage(renderTable(headings, rows, page), '--before', next_before, page)
}

interface Alert {
  agent_id: string
  raised_at: string
  last_violation_at: string
  violations: number
  acknowledged_at: string | null
  acknowledged_by: string | null
}

/** The agents that are or were in Alert Mode. */
export function presentAlertList(body: unknown, page: Page): string {
  const { alerts, next_cursor = null } = body as { alerts: Alert[]; next_cursor?: string | null }
  if (alerts.length === 0) return 'No agent has been in Alert Mode.'
  const rows = alerts.map((alert) => [
    alert.agent_id,
    alert.acknowledged_at ? `seen by ${cellOf(alert.acknowledged_by)}` : 'OPEN',
    alert.raised_at,
    alert.last_violation_at,
    alert.violations,
  ])
  const table = renderTable(['agent', 'state', 'raised', 'last violation', 'violations'], rows, page)
  return withNextPage(table, '--cursor', next_cursor, page)
}

/** One alert in a line. */
export function presentAlert(body: unknown, page: Page): string {
  const { alert } = body as { alert: Alert }
  return presentAlertList({ alerts: [alert] }, page)
}

interface Lock {
  kind: string
  id: string
  reason: string | null
  locked_at: string
  locked_by: string
}

/** What is locked, a line each. */
export function presentLockList(body: unknown, page: Page): string {
  const { locks, next_cursor } = body as { locks: Lock[]; next_cursor: string | null }
  if (locks.length === 0) return 'Nothing is locked.'
  const rows = locks.map(({ kind, id, reason, locked_at, locked_by }) => [
    kind,
    id,
    reason,
    locked_at,
    locked_by,
  ])
  const table = renderTable(['kind', 'id', 'reason', 'since', 'by'], rows, page)
  return withNextPage(table, '--cursor', next_cursor, page)
}

/** A new lock, and how it is taken away. */
export function presentNewLock(body: unknown, page: Page): string {
  const { lock } = body as { lock: Lock }
  return `${page.yellow(`Locked: ${nameOf(lock)}.`)} Calls go on after \`knowtation lock release ${wordsOf(lock)}\`.`
}

/** A lock that is gone. */
export function presentReleasedLock(body: unknown, page: Page): string {
  const { lock } = body as { lock: Lock }
  return `${page.green('Released')}: ${nameOf(lock)}.`
}

function nameOf({ kind, id }: Lock): string {
  return kind === 'all' ? 'everything' : `${cellOf(kind)} ${cellOf(id)}`
}

function wordsOf({ kind, id }: Lock): string {
  return kind === 'all' ? 'all' : `${cellOf(kind)} ${cellOf(id)}`
}
