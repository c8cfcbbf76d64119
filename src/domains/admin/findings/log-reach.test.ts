import { expect, onTestFinished, test } from 'vitest'
import { DATABASES, makeTestHome } from '../../../../test/harness/test-hub.ts'
import { auditRecord } from '../../../../test/store/audit-records.ts'
import { openHub } from '../../../operations/hub.ts'
import { reachFindings } from './log-reach.ts'

const NOW = new Date('2026-11-19T12:00:00.000Z')
const DAY_MS = 86_400_000
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS).toISOString()

test.each(DATABASES)('on %s a log that somebody fills is told of, with who does', async (database) => {
  const made = await makeTestHome({ database })
  const opened = await openHub(made.options)
  onTestFinished(async () => {
    await opened.close()
    await made[Symbol.asyncDispose]()
  })
  const { db, audit, config } = opened
  const find = (at: Date, rule: 'age' | 'count' | 'size' | null | undefined) =>
    reachFindings({ db, config, system: { ...opened.system, now: () => at } }, rule)
  await audit.append(auditRecord({ at: daysAgo(7), caller_kind: 'token', caller_id: 'tok_quiet' }))
  for (let calls = 0; calls < 3; calls++)
    await audit.append(auditRecord({ at: NOW.toISOString(), caller_kind: 'token', caller_id: 'tok_busy' }))
  const before = new Date(NOW.getTime() - 1)
  for (const rule of ['count', 'size'] as const) {
    expect(await find(NOW, rule)).toEqual([])
    const [told] = await find(before, rule)
    expect(told).toMatchObject({ state: 'wrong', subject: 'reach of the audit log' })
    expect(told?.detail).toContain(`reaches back to ${daysAgo(7)} alone, and 3 records`)
    expect(told?.detail).toContain('of token tok_busy')
  }
  for (const rule of ['age', null, undefined] as const) expect(await find(before, rule)).toEqual([])
})
