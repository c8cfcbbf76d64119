import { describe, expect, test } from 'vitest'
import { ENOUGH, loneCaller, PROMPT_MS, QUICK_MS } from './lone-caller.ts'

const SOON = PROMPT_MS / 3
const LATE = PROMPT_MS * 3
const QUICK = QUICK_MS / 2
const SLOW = QUICK_MS * 2

describe('somebody who makes quick calls one after the other', () => {
  test('is stayed awake for from when that is plain, in the calls and in the pauses', () => {
    const loop = fakeLoop()
    const awake = Array.from({ length: ENOUGH * 2 }, () => loop.call(QUICK, SOON))
    for (const one of awake.slice(0, ENOUGH)) expect(one).toEqual({ in_call: 0, in_pause: 0 })
    for (const { in_call, in_pause } of awake.slice(ENOUGH + 1)) {
      expect(in_call).toBeGreaterThan(1)
      expect(in_pause).toBeGreaterThan(1)
    }
  })

  test('costs no more turns than a call and a pause may take, and none after them', () => {
    const loop = alone()
    expect(loop.call(QUICK_MS * 50, 0).in_call).toBeLessThanOrEqual(loop.turnsIn(QUICK_MS))
    const pausing = alone()
    expect(pausing.call(QUICK, PROMPT_MS * 50).in_pause).toBeLessThanOrEqual(pausing.turnsIn(PROMPT_MS))
    expect(pausing.run(1000)).toBe(0)
  })

  test('is told to be alone from then on, until somebody else calls too', () => {
    const loop = fakeLoop()
    for (let count = 0; count <= ENOUGH; count++) loop.call(QUICK, SOON)
    expect(loop.told).toEqual([...Array(ENOUGH).fill(false), true])
    loop.calls.begins()
    loop.calls.begins()
    loop.calls.ends()
    loop.calls.begins()
    expect(loop.told.slice(-3)).toEqual([true, false, false])
  })

  test('may pause once, but who pauses each time is slept for', () => {
    const loop = alone()
    loop.call(QUICK, LATE)
    expect(loop.call(QUICK, SOON).in_call).toBeGreaterThan(1)
    for (let count = 0; count < 5; count++) loop.call(QUICK, LATE)
    expect(loop.call(QUICK, LATE)).toEqual({ in_call: 0, in_pause: 0 })
  })

  test('is slept for when its calls are slow', () => {
    const loop = alone()
    for (let count = 0; count < 5; count++) loop.call(SLOW, SOON)
    expect(loop.call(SLOW, SOON)).toEqual({ in_call: 0, in_pause: 0 })
  })

  test('is slept for as soon as somebody else calls too', () => {
    const loop = alone()
    loop.calls.begins()
    loop.calls.begins()
    expect(loop.run(100)).toBeLessThanOrEqual(1)
    loop.calls.ends()
    expect(loop.run(100)).toBe(0)
    loop.calls.ends()
    expect(loop.run(100)).toBe(0)
  })

  test('keeps one chain of turns going, not one for each call', () => {
    const loop = alone()
    for (let count = 0; count < 10; count++) {
      loop.calls.begins()
      loop.calls.ends()
    }
    expect(loop.run(1)).toBe(1)
  })
})

/** A loop that somebody has to itself already. */
function alone() {
  const loop = fakeLoop()
  for (let count = 0; count < ENOUGH * 5; count++) loop.call(QUICK, SOON)
  return loop
}

/** An event loop whose turns are counted and take a time of their own. */
function fakeLoop() {
  const TURN_MS = PROMPT_MS / 30
  let now = 0
  let due: (() => void)[] = []
  const told: boolean[] = []
  const calls = loneCaller({
    now: () => now,
    nextTurn: (act) => void due.push(act),
    noteAlone: (is_alone) => void told.push(is_alone),
  })
  const run = (turns: number) => {
    let acted = 0
    for (let turn = 0; turn < turns; turn++) {
      now += TURN_MS
      const acts = due
      due = []
      for (const act of acts) act()
      acted += acts.length
    }
    return acted
  }
  const turnsIn = (ms: number) => Math.ceil(ms / TURN_MS) + 1
  return {
    calls,
    told,
    run,
    turnsIn,
    /** A call and the pause after it, and for how many turns the loop was awake in each. */
    call(call_ms: number, pause_ms: number) {
      calls.begins()
      const in_call = run(Math.round(call_ms / TURN_MS))
      calls.ends()
      return { in_call, in_pause: run(Math.round(pause_ms / TURN_MS)) }
    },
  }
}
