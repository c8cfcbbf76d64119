import { describe, expect, test } from 'vitest'
import { auditRecord } from '../../../test/store/audit-records.ts'
import { auditStore } from '../../../test/store/audit-store.ts'
import { believeTime, findDisbelief } from './retention-time.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const START = Date.parse('2026-11-01T12:00:00.000Z')
/** So far ahead a clock is believed at once where nobody knows how long the machine has been on. */
const JUMP_MS = 3 * DAY_MS
/** So much it may be corrected. */
const CORRECTION_MS = 600_000

/** A log whose only record is of the start; answers what is believed, after the start, of a clock that shows so much more. */
async function storeAtStart() {
  const { db, log } = await auditStore()
  await log.append(auditRecord({ at: new Date(START).toISOString() }))
  const believe = async (ahead_ms: number, ran_ms: number, boot?: { boot: string; ms: number }) => {
    const shown = new Date(START + ahead_ms)
    return (await db.transaction((tx) => believeTime(tx, shown, { ran_ms, boot }))).getTime() - START
  }
  const disbelief = (ahead_ms: number) => findDisbelief(db, new Date(START + ahead_ms))
  return { believe, disbelief }
}

const on = (ms: number, boot = 'one') => ({ boot, ms })

describe('where nobody knows how long the machine has been on', () => {
  test('a clock is believed up to three days ahead, and not a moment more', async () => {
    expect(await (await storeAtStart()).believe(JUMP_MS, 0)).toBe(JUMP_MS)
    expect(await (await storeAtStart()).believe(JUMP_MS + 1, 0)).toBe(0)
  })

  test('one that has jumped further is followed at twice the pace of the process, and never backwards', async () => {
    const { believe } = await storeAtStart()
    expect(await believe(50 * DAY_MS, HOUR_MS)).toBe(2 * HOUR_MS)
    expect(await believe(50 * DAY_MS, HOUR_MS)).toBe(4 * HOUR_MS)
    expect(await believe(50 * DAY_MS, -HOUR_MS)).toBe(4 * HOUR_MS)
    expect(await believe(3 * DAY_MS, 100 * DAY_MS)).toBe(3 * DAY_MS)
  })

  test('it is told as long as it is further ahead than that', async () => {
    const { disbelief } = await storeAtStart()
    expect(await disbelief(JUMP_MS)).toBeUndefined()
    expect(await disbelief(JUMP_MS + 1)).toEqual({ believed: new Date(START).toISOString() })
  })
})

describe('where the machine has stayed on', () => {
  const LATER_MS = 5 * HOUR_MS
  const LIMIT_MS = 2 * LATER_MS + CORRECTION_MS

  test('a clock is believed up to twice that time and a correction, and not a moment more', async () => {
    for (const [ahead, believed] of [
      [LIMIT_MS, LIMIT_MS],
      [LIMIT_MS + 1, 2 * LATER_MS],
    ] as const) {
      const { believe } = await storeAtStart()
      expect(await believe(0, 0, on(1_000))).toBe(0)
      // How long the process says that it ran counts for nothing then.
      expect(await believe(ahead, 90 * DAY_MS, on(1_000 + LATER_MS))).toBe(believed)
    }
  })

  test('starts of the hub one after the other gain nothing but their time', async () => {
    const { believe } = await storeAtStart()
    expect(await believe(0, 0, on(0))).toBe(0)
    let believed = 0
    for (let start = 1; start <= 20; start++)
      believed = await believe(start * 2 * DAY_MS, 0, on(start * 60_000))
    expect(believed).toBe(40 * 60_000)
  })
})

describe('where the machine was started anew', () => {
  test.each([
    ['it says so', on(9_000_000, 'two')],
    ['it has been on for less time than before', on(999)],
  ])('a clock is believed up to three days ahead: %s', async (_, anew) => {
    for (const [ahead, believed] of [
      [JUMP_MS, JUMP_MS],
      [JUMP_MS + 1, 0],
    ] as const) {
      const { believe } = await storeAtStart()
      await believe(0, 0, on(1_000))
      expect(await believe(ahead, 0, anew)).toBe(believed)
    }
  })

  test('no time at all has gone by where it has been on as long as before', async () => {
    const { believe } = await storeAtStart()
    await believe(0, 0, on(1_000))
    expect(await believe(CORRECTION_MS + 1, 0, on(1_000))).toBe(0)
  })
})

test('what is believed of a right clock stays when the clock is set back', async () => {
  const { believe } = await storeAtStart()
  expect(await believe(2 * DAY_MS, 0)).toBe(2 * DAY_MS)
  expect(await believe(-DAY_MS, 0)).toBe(-DAY_MS)
  expect(await believe(5 * DAY_MS, 0)).toBe(5 * DAY_MS)
})
