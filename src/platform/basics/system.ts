import { randomBytes } from 'node:crypto'
import { realNow } from './clock.ts'

/** Where time and chance come from, so that a test can fix both. */
export interface System {
  now(): Date
  /** `bytes` of randomness, as lower-case hex. */
  random(bytes: number): string
}

export const realSystem: System = {
  now: realNow,
  random: (bytes) => randomBytes(bytes).toString('hex'),
}
