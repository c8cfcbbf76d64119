import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { recordEvent } from '../../src/domains/toolbox/watch/record-event.ts'
import { oneLine, safeArguments, safeText, WITHHELD } from '../../src/domains/toolbox/watch/safe-text.ts'
import { violationList } from '../../src/domains/toolbox/watch/violation-list.ts'
import { pruneEvents } from '../../src/platform/alerts/prune-events.ts'
import { createRedactor, RedactionFailed } from '../../src/platform/redaction/redactor.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { ask, pass, redactor, violate, watchedHome } from './watch-hub.fixture.ts'

const SECRET = `sk-${'aB3dE5gH'.repeat(4)}`
const countRows = sql<{ count: number }>('SELECT COUNT(*) AS count FROM toolbox_events')
const readRows = sql<{ row_text: string }>(
  `SELECT agent_id || violation_type || COALESCE(target_path, '') || command_args AS row_text FROM toolbox_events`,
)

describe.each(DATABASES)('the stream on %s', (database) => {
  verifies('TOOL-130', 'has one event for each denial, with exactly its fields', async () => {
    const { open } = await watchedHome({ database })
    const hub = await open()
    await violate(hub, 'ag', { target_path: '../other/x', command_args: ['read_file', '../other/x'] })
    await violate(hub, 'ag', {
      violation_type: 'binary_not_whitelisted',
      target_path: null,
      command_args: ['curl', 'x'],
      severity: 'CRITICAL',
    })
    const timestamp = '2026-11-01T12:00:00.000Z'
    const { violations } = await ask(hub, violationList)
    expect(violations).toHaveLength(2)
    expect(violations).toEqual(
      expect.arrayContaining([
        {
          timestamp,
          agent_id: 'ag',
          violation_type: 'outside',
          target_path: '../other/x',
          command_args: ['read_file', '../other/x'],
          severity: 'WARNING',
        },
        {
          timestamp,
          agent_id: 'ag',
          violation_type: 'binary_not_whitelisted',
          target_path: null,
          command_args: ['curl', 'x'],
          severity: 'CRITICAL',
        },
      ]),
    )
  })

  verifies('TOOL-132', 'holds no secret that a denied call carried, wherever it stood', async () => {
    const { open } = await watchedHome({ database })
    const hub = await open()
    await violate(hub, 'ag', {
      target_path: `../other/${SECRET}/x`,
      command_args: [SECRET, `--key=${SECRET}`, '--password', 'tiger-lily-0815', `a\n${SECRET}`],
    })
    const rows = await hub.db.all(readRows)
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(SECRET.slice(0, 12))
    expect(JSON.stringify(rows)).not.toContain('tiger-lily')
    const [event] = (await ask(hub, violationList)).violations
    expect(event.target_path).toContain('[REDACTED:')
    expect(event.command_args).toHaveLength(5)
  })

  test('is read page by page, newest first, by agent and by vault', async () => {
    const { open, clock } = await watchedHome({ database })
    const hub = await open()
    for (let count = 0; count < 7; count++) {
      await violate(hub, count % 2 ? 'odd' : 'even', { target_path: `p${count}` })
      pass(clock, 61_000)
    }
    await violate(hub, 'even', { vault_id: 'other', target_path: 'elsewhere' })
    const paths: string[] = []
    let before: string | null = null
    do {
      const page = await ask(hub, violationList, { limit: 3, ...(before && { before }) })
      paths.push(...page.violations.map((event: { target_path: string }) => event.target_path))
      before = page.next_before
    } while (before)
    expect(paths).toEqual(['p6', 'p5', 'p4', 'p3', 'p2', 'p1', 'p0'])
    const { violations } = await ask(hub, violationList, { agent_id: 'odd' })
    expect(violations.map((event: { target_path: string }) => event.target_path)).toEqual(['p5', 'p3', 'p1'])
    expect(await ask(hub, violationList, { before: 'x' })).toBe('BAD_REQUEST')
  })

  test('joins a flood of denials into rows with a count, and loses none', async () => {
    const { open, clock } = await watchedHome({ database })
    const hub = await open()
    for (let count = 0; count < 400; count++) {
      await violate(hub, 'flood', { violation_type: count % 2 ? 'outside' : 'blocked' })
      pass(clock, 50)
    }
    await violate(hub, 'calm')
    const { violations } = await ask(hub, violationList, { agent_id: 'flood', limit: 200 })
    const repeats = violations.map((event: { repeats?: number }) => event.repeats ?? 1)
    expect(repeats.length).toBeLessThanOrEqual(110)
    expect(repeats.reduce((sum: number, count: number) => sum + count, 0)).toBe(400)
    const [calm] = (await ask(hub, violationList, { agent_id: 'calm' })).violations
    expect(calm).not.toHaveProperty('repeats')
  })

  test('keeps no more than it may: by age, by agent and in all', async () => {
    const { open, clock } = await watchedHome({ database })
    const hub = await open()
    const left = async (agent_id: string) =>
      (await ask(hub, violationList, { agent_id, limit: 200 })).violations.length
    await violate(hub, 'old')
    pass(clock, 91 * 86_400_000)
    for (let count = 0; count < 12; count++) await violate(hub, 'loud')
    for (let count = 0; count < 3; count++) await violate(hub, 'calm')
    const keep = { max_age_days: 90, agent_limit: 5, limit: 7 }
    await pruneEvents(hub.db, keep, clock.now as Date)
    expect(await left('old')).toBe(0)
    expect(await left('loud')).toBeLessThanOrEqual(5)
    expect((await hub.db.get(countRows))?.count).toBe(7)
  })
})

test('what was carried out is never joined', async () => {
  const { open } = await watchedHome()
  const hub = await open()
  const event = { vault_id: 'default', agent_id: 'ag', violation_type: 'critical_call', target_path: null }
  for (let count = 0; count < 150; count++)
    await recordEvent(hub, undefined, redactor, { ...event, command_args: [`${count}`], kind: 'done' })
  expect((await hub.db.get(countRows))?.count).toBe(150)
})

test('only admins of the vault read the stream', async () => {
  const { open } = await watchedHome()
  const hub = await open()
  const caller = { kind: 'token', id: 'tok_1', vaults: ['default'], client: 'other' } as const
  expect(await ask(hub, violationList, {}, { caller: { ...caller, role: 'editor' } })).toBe('FORBIDDEN')
  expect(await ask(hub, violationList, {}, { caller: { ...caller, role: 'admin' } })).toHaveProperty(
    'violations',
  )
  expect(violationList.mcp).toBe(false)
})

function broken(): never {
  throw new RedactionFailed(new Error('broken'))
}

describe('a text of an agent in the stream', () => {
  const hostile = fc.string({
    unit: fc.constantFrom(
      'a',
      'u{a}',
      '\n',
      '\r',
      '\u2028',
      '\x1b[2K',
      '\0',
      '\\',
      '\u202e',
      '\ud800',
      'ü',
      '"',
      '{',
    ),
    maxLength: 60,
  })

  test('is one visible line, no longer than told, whatever it was', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 40 }), (text, limit) => {
        const shown = oneLine(text, limit)
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u)
        expect(shown.length).toBeLessThanOrEqual(limit)
      }),
    )
  })

  test('is never what another text would be shown as', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = oneLine(text, 1_000)
        if (shown !== text) expect(oneLine(shown, 1_000)).not.toBe(shown)
      }),
    )
  })

  test('cannot forge a second event', async () => {
    const { open } = await watchedHome()
    const hub = await open()
    await violate(hub, 'ag\n{"agent_id":"x"}', { target_path: 'a\r\nb', violation_type: 'a\nb' })
    const [event] = (await ask(hub, violationList)).violations
    expect(event).toMatchObject({ target_path: 'a\\u{d}\\u{a}b', violation_type: 'other' })
    expect(JSON.stringify(event)).not.toContain('\\n')
  })

  test('is bounded, with its arguments', () => {
    const shown = safeArguments(redactor, Array(500).fill('x'.repeat(5_000)))
    expect(shown).toHaveLength(33)
    expect(shown.at(-1)).toBe('… and 468 more')
    expect(Math.max(...shown.map((text) => text.length))).toBeLessThanOrEqual(256)
    expect(safeText(redactor, 'y'.repeat(100_000), 1_024)).toHaveLength(1_024)
  })

  test('shows no beginning of a secret that lies where reading stopped', () => {
    const filler = `${SECRET}${'x'.repeat(200)} `.repeat(40)
    const text = `${filler.slice(0, 8_180)} ${SECRET}`
    const shown = safeText(redactor, text, 100_000)
    expect(shown).toBe(WITHHELD)
  })

  test('is withheld when it cannot be redacted, and the event is still written', async () => {
    const { open } = await watchedHome()
    const hub = await open()
    const failing = { ...createRedactor(), redact: broken, find: broken }
    const event = {
      vault_id: 'default',
      agent_id: 'ag',
      violation_type: 'outside',
      target_path: `/${SECRET}`,
    }
    await recordEvent(hub, undefined, failing, { ...event, command_args: [SECRET], kind: 'violation' })
    const { violations } = await ask(hub, violationList)
    expect(violations).toMatchObject([{ target_path: WITHHELD, command_args: [WITHHELD] }])
  })
})
