import { randomBytes } from 'node:crypto'

/** Where time and chance come from, so that a test can fix both. */
export interface System {
  now(): Date
  /** `bytes` of randomness, as lower-case hex. */
  random(bytes: number): string
}

export const realSystem: System = {
  now: () => new Date(),
  random: (bytes) => randomBytes(bytes).toString('hex'),
}
