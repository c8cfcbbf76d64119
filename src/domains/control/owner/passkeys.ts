import { z } from 'zod'
import { anyVisitor, ownerSurface } from '../../../operations/authority.ts'
import type { Context } from '../../../operations/define-operation.ts'
import {
  type ChallengePurpose,
  createChallenge,
  createPasskey,
  findPasskey,
  listPasskeys,
  notePasskeyUse,
  PASSKEY_LIMIT,
  removePasskey,
  useOpenChallenge,
} from '../../../platform/identity/owner-passkeys.ts'
import { findOwnerSession, isRecent } from '../../../platform/identity/owner-sessions.ts'
import {
  findAssertion,
  findRegistration,
  registrationOptions,
  signInOptions,
} from '../../../platform/identity/owner-webauthn.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { identityErrors, SignedIn } from './owner-schemas.ts'
import { checkAttempt, signIn } from './sign-in.ts'

/** Where the page is; the surface says it, no browser does. */
const Place = z.strictObject({ rp_id: z.string(), origin: z.string() })
const Challenge = z.strictObject({ object: z.literal('owner_passkey_challenge'), options: z.looseObject({}) })
/** What an authenticator answered; the library that verifies it knows its form. */
const Credential = z.looseObject({
  id: z.string().max(1_024),
  response: z.looseObject({ clientDataJSON: z.string().max(8_192) }),
})
const Label = z.string().trim().min(1).max(64)

async function requireChallenge(
  { db, hub }: Pick<Context<never, never, 'create'>, 'db' | 'hub'>,
  purpose: ChallengePurpose,
  refuse: () => never,
): Promise<string> {
  return (await createChallenge(db, hub.system, purpose)) ?? refuse()
}

/** What was signed, as the authenticator says; it counts only if we gave it out for this, and once. */
function challengeIn(credential: z.infer<typeof Credential>): string {
  try {
    const text = Buffer.from(credential.response.clientDataJSON, 'base64url').toString('utf8')
    const { challenge } = JSON.parse(text) as { challenge?: unknown }
    return typeof challenge === 'string' ? challenge : ''
  } catch {
    return ''
  }
}

export const ownerPasskeyChallenge = defineOwnerOperation({
  name: 'owner_passkey_challenge',
  summary: 'Give out a challenge for signing in with a passkey.',
  effect: 'create',
  authority: anyVisitor(),
  whileLocked: true,
  rest: 'POST /owner/passkey/challenge',
  errors: identityErrors.pick('too_many_waiting'),
  input: z.strictObject({ place: Place }),
  output: Challenge,
  async handle(context) {
    checkAttempt(context)
    const challenge = await requireChallenge(context, 'sign_in', () => context.refuse('too_many_waiting'))
    const options = signInOptions(challenge, context.input.place)
    return { object: 'owner_passkey_challenge' as const, options }
  },
})

export const ownerPasskeySignIn = defineOwnerOperation({
  name: 'owner_passkey_sign_in',
  summary: 'Sign the owner in with a passkey.',
  effect: 'create',
  authority: anyVisitor(),
  whileLocked: true,
  rest: 'POST /owner/passkey/sign-in',
  errors: identityErrors.pick('invalid_credentials'),
  input: z.strictObject({ place: Place, credential: Credential }),
  output: SignedIn,
  made: ({ session }) => ({ kind: 'owner_session', id: session.session_id }),
  async check(context) {
    const { input, db, refuse } = context
    checkAttempt(context)
    const passkey = await findPasskey(db, input.credential.id)
    const challenge = challengeIn(input.credential)
    const isAsked = async (signed: string) => signed === challenge
    const proven = passkey && (await findAssertion(input.credential, input.place, passkey, isAsked))
    return proven ? { passkey, challenge, counter: proven.counter } : refuse('invalid_credentials')
  },
  async handle(context, { passkey, challenge, counter }) {
    const { db, now, refuse } = context
    if (!(await useOpenChallenge(db, challenge, 'sign_in', now))) return refuse('invalid_credentials')
    if (!(await notePasskeyUse(db, passkey, counter, now))) return refuse('invalid_credentials')
    return signIn(context, 'passkey')
  },
})

async function checkRecent(
  { db, caller, now }: Pick<Context<never, never, 'read'>, 'db' | 'caller' | 'now'>,
  refuse: () => never,
): Promise<void> {
  const session = await findOwnerSession(db, caller.id)
  if (!session || !isRecent(session, now)) refuse()
}

export const ownerPasskeyRegisterChallenge = defineOwnerOperation({
  name: 'owner_passkey_register_challenge',
  summary: 'Give out a challenge for adding a passkey.',
  effect: 'create',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'POST /owner/passkey/register-challenge',
  errors: identityErrors.pick('too_many_waiting', 'sign_in_again', 'too_many_passkeys'),
  input: z.strictObject({ place: Place }),
  output: Challenge,
  async handle(context) {
    const { input, db, refuse } = context
    await checkRecent(context, () => refuse('sign_in_again'))
    const known = await listPasskeys(db)
    if (known.length >= PASSKEY_LIMIT) return refuse('too_many_passkeys')
    const challenge = await requireChallenge(context, 'register', () => refuse('too_many_waiting'))
    const options = registrationOptions(challenge, input.place, known)
    return { object: 'owner_passkey_challenge' as const, options }
  },
})

const Passkey = z.strictObject({
  object: z.literal('owner_passkey'),
  passkey_id: z.string(),
  label: z.string(),
})

export const ownerPasskeyAdd = defineOwnerOperation({
  name: 'owner_passkey_add',
  summary: 'Add a passkey with which the owner can sign in.',
  effect: 'create',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'POST /owner/passkey/register',
  errors: identityErrors.pick('invalid_credentials', 'sign_in_again', 'too_many_passkeys'),
  input: z.strictObject({ place: Place, label: Label, credential: Credential }),
  output: Passkey,
  made: ({ passkey_id }) => ({ kind: 'owner_passkey', id: passkey_id }),
  async check(context) {
    const { input, refuse } = context
    await checkRecent(context, () => refuse('sign_in_again'))
    const challenge = challengeIn(input.credential)
    const isAsked = async (signed: string) => signed === challenge
    const proven = await findRegistration(input.credential, input.place, isAsked)
    return proven ? { proven, challenge } : refuse('invalid_credentials')
  },
  async handle({ input, db, hub, now, refuse }, { proven, challenge }) {
    if (!(await useOpenChallenge(db, challenge, 'register', now))) return refuse('invalid_credentials')
    if ((await listPasskeys(db)).length >= PASSKEY_LIMIT) return refuse('too_many_passkeys')
    if (await findPasskey(db, proven.credential_id)) return refuse('invalid_credentials')
    const { passkey_id, label } = await createPasskey(db, hub.system, { ...proven, label: input.label })
    return { object: 'owner_passkey' as const, passkey_id, label }
  },
})

export const ownerPasskeyRemove = defineOwnerOperation({
  name: 'owner_passkey_remove',
  summary: 'Take a passkey of the owner away.',
  effect: 'delete',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'DELETE /owner/passkey/remove',
  errors: identityErrors.pick('unknown_passkey', 'sign_in_again'),
  target: (input) => ({ kind: 'owner_passkey', id: input.passkey_id }),
  input: z.strictObject({ passkey_id: z.string().regex(/^opkey_[0-9a-f]{16}$/) }),
  output: z.strictObject({ object: z.literal('owner_passkey'), passkey_id: z.string() }),
  async handle(context) {
    const { input, db, refuse } = context
    await checkRecent(context, () => refuse('sign_in_again'))
    if (!(await removePasskey(db, input.passkey_id))) return refuse('unknown_passkey')
    return { object: 'owner_passkey' as const, passkey_id: input.passkey_id }
  },
})
