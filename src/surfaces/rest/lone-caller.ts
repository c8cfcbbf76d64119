import { noteAlone } from '../../platform/basics/alone.ts'

/** Who asks again within this time after an answer asks as fast as it can. */
export const PROMPT_MS = 0.3
/** A call that takes longer waits for something that is worth sleeping for. */
export const QUICK_MS = 1
/** So many quick calls in a row, each promptly after the one before and with none beside it, make a lone caller. */
export const ENOUGH = 4
/** More are not counted. A pause or a slow call halves what was counted: a single one changes nothing. */
const MOST = 16

/** Follows calls from their begin to their end. */
export interface LoneCaller {
  begins(): void
  ends(): void
}

interface Clockwork {
  now(): number
  /** Has something called in the next turn of the event loop. */
  nextTurn(act: () => void): void
  /** Is told with each call that begins whether it is one of somebody alone. */
  noteAlone(alone: boolean): void
}

const REAL: Clockwork = {
  now: () => performance.now(),
  nextTurn: (act) => void setImmediate(act),
  noteAlone,
}

/**
 * Keeps the event loop awake for somebody who makes quick calls one after the other, and nobody beside: falling
 * asleep and being woken three times costs such a call more than its own work. Never for longer than such a call,
 * or the pause after it, takes; whoever pauses for longer, calls slow tools or is not alone is slept for.
 */
export function loneCaller(clockwork: Clockwork = REAL): LoneCaller {
  const { now, nextTurn } = clockwork
  let under_way = 0
  let in_a_row = 0
  let began = 0
  let ended = Number.NEGATIVE_INFINITY
  let awake_until = 0
  let is_awake = false
  const turn = () => {
    is_awake = in_a_row >= ENOUGH && now() < awake_until
    if (is_awake) nextTurn(turn)
  }
  const stayAwakeUntil = (moment: number) => {
    if (in_a_row < ENOUGH) return
    awake_until = moment
    if (!is_awake) nextTurn(turn)
    is_awake = true
  }
  return {
    begins() {
      began = now()
      if (under_way++ > 0) in_a_row = 0
      else if (began - ended < PROMPT_MS) in_a_row = Math.min(in_a_row + 1, MOST)
      else in_a_row >>= 1
      clockwork.noteAlone(in_a_row >= ENOUGH)
      stayAwakeUntil(began + QUICK_MS)
    },
    ends() {
      ended = now()
      if (--under_way > 0) in_a_row = 0
      else if (ended - began > QUICK_MS) in_a_row >>= 1
      stayAwakeUntil(ended + PROMPT_MS)
    },
  }
}
