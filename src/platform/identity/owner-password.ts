import { withSlot } from '../basics/mutex.ts'

/**
 * argon2id with 19 MiB, two passes and one lane: some tens of milliseconds of one core for us, and memory
 * that a guesser has to pay for each guess.
 */
export const ARGON2ID = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Passwords are measured in characters of their normal form. */
export const PASSWORD_MIN_CHARS = 12
const PASSWORD_MAX_CHARS = 256
const DIFFERENT_CHARS_MIN = 5

/** Hashes computed at once; each takes its memory. */
const AT_ONCE = 2
const WAITING_LIMIT = 20

/** Too many passwords wait to be checked. */
export class PasswordsBusy extends Error {
  override readonly name = 'PasswordsBusy'
}

const bound = { limit: WAITING_LIMIT, full: () => new PasswordsBusy() }

/** The bound is on the memory of the process, however many hubs it has open. */
const inTurn = <Result>(act: () => Promise<Result>) => withSlot('passwords', AT_ONCE, act, { bound })

/** What is wrong with a new password, in words for the owner; undefined when it will do. */
export function findPasswordFault(password: string): string | undefined {
  const { length } = [...normalForm(password)]
  if (length < PASSWORD_MIN_CHARS) return `The password needs at least ${PASSWORD_MIN_CHARS} characters.`
  if (length > PASSWORD_MAX_CHARS) return `The password may have at most ${PASSWORD_MAX_CHARS} characters.`
  if (new Set(normalForm(password)).size < DIFFERENT_CHARS_MIN)
    return 'The password repeats too few characters: it would be guessed at once.'
  return undefined
}

/** What is stored of a password. */
export async function hashPassword(password: string): Promise<string> {
  const { hash } = await import('@node-rs/argon2')
  return inTurn(() => hash(normalForm(password), ARGON2ID))
}

/** Whether it is the password. Without a stored hash as much is computed, and the answer is no. */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const { verify } = await import('@node-rs/argon2')
  const isRight = await inTurn(() => verify(stored ?? NOBODYS_HASH, normalForm(password)))
  return isRight && stored !== undefined
}

/** Of 32 random bytes that nobody kept. */
const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$xoCh1NvquSiEWypRN1/DsQ$c32gD80OBz4fdb01qF4HCl/R3SlqkAhrekC7nfkp5mA'

/** The same characters typed on another keyboard are the same password. */
function normalForm(password: string): string {
  return password.normalize('NFKC')
}
