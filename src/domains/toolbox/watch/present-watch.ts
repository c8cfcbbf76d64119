import type { z } from 'zod'
import { withNextPage } from '../../../operations/present/list-end.ts'
import type { Page } from '../../../operations/present/page.ts'
import { cellOf, renderTable } from '../../../operations/present/table.ts'
import type { AlertAcknowledgeOutput } from './alert-acknowledge.ts'
import type { AlertListOutput } from './alert-list.ts'
import type { LockAddOutput } from './lock-add.ts'
import type { LockListOutput } from './lock-list.ts'
import type { LockReleaseOutput } from './lock-release.ts'
import type { ViolationListOutput } from './violation-list.ts'

/** The security stream, newest first. */
export function presentViolationList(
  { violations, next_before }: z.output<typeof ViolationListOutput>,
  page: Page,
): string {
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

/** The agents that are or were in Alert Mode. */
export function presentAlertList(
  { alerts, next_cursor }: Pick<z.output<typeof AlertListOutput>, 'alerts' | 'next_cursor'>,
  page: Page,
): string {
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
export function presentAlert({ alert }: z.output<typeof AlertAcknowledgeOutput>, page: Page): string {
  return presentAlertList({ alerts: [alert], next_cursor: null }, page)
}

/** What is locked, a line each. */
export function presentLockList({ locks, next_cursor }: z.output<typeof LockListOutput>, page: Page): string {
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
export function presentNewLock({ lock }: z.output<typeof LockAddOutput>, page: Page): string {
  return `${page.yellow(`Locked: ${nameOf(lock)}.`)} Calls go on after \`knowtation lock release ${wordsOf(lock)}\`.`
}

/** A lock that is gone. */
export function presentReleasedLock({ lock }: z.output<typeof LockReleaseOutput>, page: Page): string {
  return `${page.green('Released')}: ${nameOf(lock)}.`
}

function nameOf({ kind, id }: Pick<z.output<typeof LockAddOutput>['lock'], 'kind' | 'id'>): string {
  return kind === 'all' ? 'everything' : `${cellOf(kind)} ${cellOf(id)}`
}

function wordsOf({ kind, id }: Pick<z.output<typeof LockAddOutput>['lock'], 'kind' | 'id'>): string {
  return kind === 'all' ? 'all' : `${cellOf(kind)} ${cellOf(id)}`
}
