import { z } from 'zod'
import { anyVisitor } from '../../../operations/authority.ts'
import type { Context, Effect } from '../../../operations/define-operation.ts'
import { Refusal } from '../../../operations/errors.ts'
import { createOwner, findOwner, holdPassword } from '../../../platform/identity/owner-account.ts'
import { createLink, isLiveLink, useLink } from '../../../platform/identity/owner-links.ts'
import {
  findPasswordFault,
  hashPassword,
  isPassword,
  PasswordsBusy,
} from '../../../platform/identity/owner-password.ts'
import {
  endOwnerSession,
  openOwnerSession,
  type SignInMethod,
} from '../../../platform/identity/owner-sessions.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { identityErrors, SignedIn } from './owner-schemas.ts'
import { slowDownGuesses } from './sign-in-attempts.ts'

/** Longer than any password may be, so that each is judged by its own rule. */
const FIELD_LIMIT = 1_024
const Password = z.string().max(FIELD_LIMIT)
const Link = z.string().max(128)

type AnyContext<E extends Effect> = Pick<Context<never, never, E>, 'hub' | 'address' | 'origin'>

/** Waits its turn; who comes when too many wait is sent away. */
export async function orBusy<Result>(act: Promise<Result>): Promise<Result> {
  try {
    return await act
  } catch (error) {
    if (error instanceof PasswordsBusy) throw new Refusal('RATE_LIMITED', undefined, 1)
    throw error
  }
}

/** Begins a new session in place of the one that this browser had. */
export async function signIn(
  { db, hub, caller, now }: Pick<Context<never, never, 'create'>, 'db' | 'hub' | 'caller' | 'now'>,
  method: SignInMethod,
) {
  if (caller.kind === 'owner_session') await endOwnerSession(db, caller.id, now)
  const opened = await openOwnerSession(db, hub.system, { method, client: caller.client })
  return { object: 'owner_sign_in' as const, ...opened }
}

const made = ({ session }: z.infer<typeof SignedIn>) => ({ kind: 'owner_session', id: session.session_id })

/** The first sign-in: the link proves who comes, and the password is chosen. */
export const ownerSetUp = defineOwnerOperation({
  name: 'owner_set_up',
  summary: 'Set the owner up: a one-time link and a password of their choice.',
  effect: 'create',
  authority: anyVisitor(),
  whileLocked: true,
  rest: 'POST /owner/set-up',
  errors: identityErrors.pick('link_invalid', 'already_set_up', 'weak_password'),
  input: z.strictObject({ link: Link, password: Password }),
  output: SignedIn,
  made,
  async check(context) {
    const { input, db, now, refuse } = context
    if (!(await isLiveLink(db, input.link, now))) return refuse('link_invalid')
    if (await findOwner(db)) return refuse('already_set_up')
    const fault = findPasswordFault(input.password)
    if (fault) return refuse('weak_password', fault)
    return { password_hash: await orBusy(hashPassword(input.password)) }
  },
  async handle(context, { password_hash }) {
    const { input, db, now, refuse } = context
    if (!(await useLink(db, input.link, now))) return refuse('link_invalid')
    if (!(await createOwner(db, password_hash, now))) return refuse('already_set_up')
    return signIn(context, 'set_up')
  },
})

/** `knowtation owner login`, once the owner is set up. */
export const ownerLinkSignIn = defineOwnerOperation({
  name: 'owner_link_sign_in',
  summary: 'Sign the owner in with a one-time link.',
  effect: 'create',
  authority: anyVisitor(),
  whileLocked: true,
  rest: 'POST /owner/link',
  errors: identityErrors.pick('link_invalid', 'not_set_up'),
  input: z.strictObject({ link: Link }),
  output: SignedIn,
  made,
  // No link is ever guessed, so tries are not counted: whoever uses the tries at the password up keeps nobody out.
  async handle(context) {
    const { input, db, now, refuse } = context
    if (!(await findOwner(db))) return refuse('not_set_up')
    if (!(await useLink(db, input.link, now))) return refuse('link_invalid')
    return signIn(context, 'link')
  },
})

/** Whether the password is the owner's; answers its stored hash. As much is computed for an owner who is not set up. */
async function checkPassword(
  context: AnyContext<'read'> & Pick<Context<never, never, 'read'>, 'db'>,
  password: string,
  refuse: () => never,
): Promise<string> {
  await slowDownGuesses(context)
  const owner = await findOwner(context.db)
  const isRight = await orBusy(isPassword(password, owner?.password_hash))
  return owner && isRight ? owner.password_hash : refuse()
}

/** The owner's password. */
export const ownerPasswordSignIn = defineOwnerOperation({
  name: 'owner_password_sign_in',
  summary: 'Sign the owner in with the password.',
  effect: 'create',
  authority: anyVisitor(),
  whileLocked: true,
  rest: 'POST /owner/sign-in',
  errors: identityErrors.pick('invalid_credentials'),
  input: z.strictObject({ password: Password }),
  output: SignedIn,
  made,
  check: (context) =>
    checkPassword(context, context.input.password, () => context.refuse('invalid_credentials')),
  async handle(context, checked_hash) {
    // A password that was changed in the meantime is the right one no more. One that is changed at this very
    // moment, at another hub, waits until the session is there: else it would end all sessions but this one.
    if (!(await holdPassword(context.db, checked_hash))) return context.refuse('invalid_credentials')
    return signIn(context, 'password')
  },
})

/** The password under a name where no session is kept: it gives a one-time link to where one is. */
export const ownerPasswordHandOver = defineOwnerOperation({
  name: 'owner_password_hand_over',
  summary: "Lead the owner, by the password, to the address of the owner's pages.",
  effect: 'create',
  authority: anyVisitor(),
  whileLocked: true,
  rest: 'POST /owner/hand-over',
  errors: identityErrors.pick('invalid_credentials'),
  input: z.strictObject({ password: Password }),
  output: z.strictObject({ object: z.literal('owner_hand_over'), link_id: z.string(), link: z.string() }),
  made: ({ link_id }) => ({ kind: 'owner_link', id: link_id }),
  check: (context) =>
    checkPassword(context, context.input.password, () => context.refuse('invalid_credentials')),
  async handle({ db, hub, refuse }, checked_hash) {
    if (!(await holdPassword(db, checked_hash))) return refuse('invalid_credentials')
    const { link_id, secret } = await createLink(db, hub.system, 'visitor:password')
    return { object: 'owner_hand_over' as const, link_id, link: secret }
  },
})
