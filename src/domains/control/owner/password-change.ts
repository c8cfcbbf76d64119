import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { findOwner, replacePassword } from '../../../platform/identity/owner-account.ts'
import { findPasswordFault, hashPassword, isPassword } from '../../../platform/identity/owner-password.ts'
import { findOwnerSession, isRecent } from '../../../platform/identity/owner-sessions.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { identityErrors, SignedIn } from './owner-schemas.ts'
import { ALSO, throwOut } from './recovery.ts'
import { orBusy, signIn } from './sign-in.ts'
import { slowDownGuesses } from './sign-in-attempts.ts'

const FIELD_LIMIT = 1_024

/**
 * Puts another password in place, and ends every other session and every open link. The former one is needed, unless the owner
 * has just come in by a link or a passkey: that is the way back for who forgot it.
 */
export const ownerPasswordChange = defineOwnerOperation({
  name: 'owner_password_change',
  summary: "Change the owner's password and end every other session.",
  effect: 'update',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'POST /owner/password',
  errors: identityErrors.pick('invalid_credentials', 'weak_password', 'sign_in_again'),
  input: z.strictObject({
    current: z.string().max(FIELD_LIMIT).optional(),
    password: z.string().max(FIELD_LIMIT),
    ...ALSO,
  }),
  output: SignedIn,
  made: ({ session }) => ({ kind: 'owner_session', id: session.session_id }),
  async check(context) {
    const { input, caller, db, now, refuse } = context
    await slowDownGuesses(context)
    const [owner, session] = [await findOwner(db), await findOwnerSession(db, caller.id)]
    if (!owner) return refuse('invalid_credentials')
    const isFresh = session !== undefined && session.method !== 'password' && isRecent(session, now)
    if (!isFresh && !(await orBusy(isPassword(input.current ?? '', owner.password_hash))))
      return refuse('invalid_credentials')
    const fault = findPasswordFault(input.password)
    if (fault) return refuse('weak_password', fault)
    const password_hash = await orBusy(hashPassword(input.password))
    return { former_hash: owner.password_hash, password_hash }
  },
  async handle(context, hashes) {
    const { input, db, now, refuse } = context
    // Of two that come at once the second was judged by a password, and a session, that the first has ended.
    if (!(await replacePassword(db, hashes, now))) return refuse('invalid_credentials')
    await throwOut(db, input, now)
    return signIn(context, 'password')
  },
})
