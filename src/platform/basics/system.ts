import { randomBytes, randomFillSync } from 'node:crypto'
import { realNow } from './clock.ts'

/** Where time and chance come from, so that a test can fix both. */
export interface System {
  now(): Date
  /** `bytes` of randomness, as lower-case hex. */
  random(bytes: number): string
}

const POOL_BYTES = 4_096
const pool = Buffer.alloc(POOL_BYTES)
let drawn = POOL_BYTES

/** Drawn from the system for many calls at once; what was given out is wiped, so that nothing is given out twice. */
function drawRandom(bytes: number): string {
  if (bytes > POOL_BYTES) return randomBytes(bytes).toString('hex')
  if (drawn + bytes > POOL_BYTES) {
    randomFillSync(pool)
    drawn = 0
  }
  const text = pool.toString('hex', drawn, drawn + bytes)
  pool.fill(0, drawn, drawn + bytes)
  drawn += bytes
  return text
}

export const realSystem: System = {
  now: realNow,
  random: drawRandom,
}
