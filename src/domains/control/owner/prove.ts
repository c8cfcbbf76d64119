import { z } from 'zod'
import type { Context } from '../../../operations/define-operation.ts'
import { findOwner } from '../../../platform/identity/owner-account.ts'
import { isPassword } from '../../../platform/identity/owner-password.ts'
import { findOwnerSession, isRecent, proveSession } from '../../../platform/identity/owner-sessions.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import { orBusy } from './sign-in.ts'
import { slowDownGuesses } from './sign-in-attempts.ts'

/** The password, asked for in place where the sign-in was too long ago. */
export const Current = z
  .string()
  .max(1_024)
  .optional()
  .describe('The password, where the sign-in was long ago')

type Asking = Pick<Context<never, never, 'read'>, 'hub' | 'db' | 'caller' | 'now' | 'address' | 'origin'>

/**
 * Whoever changes what proves the owner has to have proven to be the owner a short while ago: by signing in, or by the
 * password given with what is asked. Answers whether it was the password, and so has to be kept.
 */
export async function checkProven(
  context: Asking,
  current: string | undefined,
  refuse: (code: 'sign_in_again' | 'invalid_credentials') => never,
): Promise<{ by_password: boolean }> {
  const { db, caller, now } = context
  // Whoever has the home's files needs no session.
  if (caller.kind === 'local') return { by_password: false }
  const session = await findOwnerSession(db, caller.id)
  if (session && isRecent(session, now)) return { by_password: false }
  if (!session || !current) return refuse('sign_in_again')
  await slowDownGuesses(context)
  const owner = await findOwner(db)
  const isRight = await orBusy(isPassword(current, owner?.password_hash))
  return isRight ? { by_password: true } : refuse('invalid_credentials')
}

/** Keeps that the owner has just given the password, so that it is not asked for with the next step again. */
export async function keepProven(
  { db, caller, now }: { db: Transaction; caller: { id: string }; now: Date },
  { by_password }: { by_password: boolean },
): Promise<void> {
  if (by_password) await proveSession(db, caller.id, now)
}
