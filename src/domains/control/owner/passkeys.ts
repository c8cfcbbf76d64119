import { z } from 'zod'
import { anyVisitor, ownerSurface } from '../../../operations/authority.ts'
import type { Context } from '../../../operations/define-operation.ts'
import type { Hub } from '../../../operations/hub.ts'
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
import {
  findAssertion,
  findRegistration,
  registrationOptions,
  signInOptions,
} from '../../../platform/identity/owner-webauthn.ts'
import { isPublicOrigin } from '../../../platform/policy/hub-config.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { identityErrors, SignedIn } from './owner-schemas.ts'
import { Current, checkProven, keepProven } from './prove.ts'
import { signIn } from './sign-in.ts'

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

/** The name that passkeys made on a page of this origin are bound to, where the hub has such pages. */
function nameAt({ ownerName, config }: Pick<Hub, 'ownerName' | 'config'>, origin: string | null): string {
  const hostname = URL.parse(origin ?? '')?.hostname ?? ''
  return hostname === ownerName || isPublicOrigin(config, origin) ? hostname : ''
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
  input: z.strictObject({}),
  output: Challenge,
  async handle(context) {
    const challenge = await requireChallenge(context, 'sign_in', () => context.refuse('too_many_waiting'))
    const options = signInOptions(challenge, nameAt(context.hub, context.origin))
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
  input: z.strictObject({ credential: Credential }),
  output: SignedIn,
  made: ({ session }) => ({ kind: 'owner_session', id: session.session_id }),
  async check(context) {
    const { input, db, hub, refuse } = context
    const passkey = await findPasskey(db, input.credential.id)
    // One of a name that the hub has no more would count for whoever has that name now.
    if (passkey && nameAt(hub, passkey.origin) === '') return refuse('invalid_credentials')
    const challenge = challengeIn(input.credential)
    const isAsked = async (signed: string) => signed === challenge
    const proven = passkey && (await findAssertion(input.credential, passkey, isAsked))
    return proven ? { passkey, challenge, counter: proven.counter } : refuse('invalid_credentials')
  },
  async handle(context, { passkey, challenge, counter }) {
    const { db, now, refuse } = context
    if (!(await useOpenChallenge(db, challenge, 'sign_in', now))) return refuse('invalid_credentials')
    if (!(await notePasskeyUse(db, passkey, counter, now))) return refuse('invalid_credentials')
    return signIn(context, 'passkey')
  },
})

export const ownerPasskeyRegisterChallenge = defineOwnerOperation({
  name: 'owner_passkey_register_challenge',
  summary: 'Give out a challenge for adding a passkey.',
  effect: 'create',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'POST /owner/passkey/register-challenge',
  errors: identityErrors.pick(
    'too_many_waiting',
    'sign_in_again',
    'invalid_credentials',
    'too_many_passkeys',
  ),
  input: z.strictObject({ current: Current }),
  output: Challenge,
  check: (context) => checkProven(context, context.input.current, context.refuse),
  async handle(context, proven) {
    const { db, refuse } = context
    await keepProven(context, proven)
    const known = await listPasskeys(db)
    if (known.length >= PASSKEY_LIMIT) return refuse('too_many_passkeys')
    const challenge = await requireChallenge(context, 'register', () => refuse('too_many_waiting'))
    const options = registrationOptions(challenge, nameAt(context.hub, context.origin), known)
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
  input: z.strictObject({ label: Label, credential: Credential }),
  output: Passkey,
  made: ({ passkey_id }) => ({ kind: 'owner_passkey', id: passkey_id }),
  async check(context) {
    const { input, hub, origin, refuse } = context
    await checkProven(context, undefined, refuse)
    if (nameAt(hub, origin) === '') return refuse('invalid_credentials')
    const challenge = challengeIn(input.credential)
    const isAsked = async (signed: string) => signed === challenge
    const proven = await findRegistration(input.credential, origin, isAsked)
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

const PasskeyId = z.string().regex(/^opkey_[0-9a-f]{16}$/)

export const OwnerPasskeyListOutput = z.strictObject({
  object: z.literal('list'),
  data: z.array(
    Passkey.extend({
      created_at: z.string(),
      last_used_at: z.string().nullable(),
      origin: z.string().nullable(),
    }),
  ),
})

export const ownerPasskeyList = defineOwnerOperation({
  name: 'owner_passkey_list',
  summary: 'List the passkeys of the owner, oldest first.',
  effect: 'read',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'GET /v1/owner/passkeys',
  cli: 'owner passkey list',
  errors: {},
  input: z.strictObject({}),
  output: OwnerPasskeyListOutput,
  present: async () => (await import('./present-owner.ts')).presentOwnerPasskeys,
  async handle({ db }) {
    const data = (await listPasskeys(db)).map(({ passkey_id, label, created_at, last_used_at, origin }) => ({
      object: 'owner_passkey' as const,
      passkey_id,
      label,
      created_at,
      last_used_at,
      origin,
    }))
    return { object: 'list' as const, data }
  },
})

export const ownerPasskeyRemove = defineOwnerOperation({
  name: 'owner_passkey_remove',
  summary: 'Take a passkey of the owner away.',
  effect: 'delete',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'DELETE /v1/owner/passkeys/{passkey_id}',
  cli: 'owner passkey remove <passkey_id>',
  errors: identityErrors.pick('unknown_passkey', 'sign_in_again', 'invalid_credentials'),
  target: (input) => ({ kind: 'owner_passkey', id: input.passkey_id }),
  input: z.strictObject({
    passkey_id: PasskeyId.describe('The id of the passkey, as the list shows it'),
    current: Current,
  }),
  output: z.strictObject({ object: z.literal('owner_passkey'), passkey_id: z.string() }),
  check: (context) => checkProven(context, context.input.current, context.refuse),
  async handle(context, proven) {
    const { input, db, refuse } = context
    await keepProven(context, proven)
    if (!(await removePasskey(db, input.passkey_id))) return refuse('unknown_passkey')
    return { object: 'owner_passkey' as const, passkey_id: input.passkey_id }
  },
})
