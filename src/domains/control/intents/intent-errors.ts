import { errorTable } from '../../../operations/errors.ts'
import { OwnerRefusal } from '../../../operations/owner-contract.ts'
import { SecretsKeyFault } from '../../../platform/secrets/secrets-key.ts'
import { SourceFault, type SourceFaultCode } from '../connectors/connector.ts'

/** What can go wrong between the wish for a connection and the connection. */
export const intentErrors = errorTable({
  connector_not_found: {
    status: 404,
    message: 'There is no such connector.',
    hint: '`knowtation owner connector list` shows the connectors.',
  },
  intent_not_found: {
    status: 404,
    message: 'There is no such intent.',
    hint: '`knowtation owner intent list` shows what was begun.',
  },
  intent_expired: {
    status: 410,
    message: 'The time for this step is over. Begin again.',
    hint: 'Begin again with `knowtation owner intent create <connector>`.',
  },
  intent_ended: {
    status: 409,
    message: 'This intent has ended already.',
    hint: '`knowtation owner intent show <intent_id>` tells how it ended.',
  },
  intent_needs_other_step: { status: 409, message: 'This is not the step that the intent waits for.' },
  too_many_intents: { status: 429, message: 'Too many connections wait for the owner already.' },
  connector_unusable: { status: 409, message: 'The connector cannot be used as it is installed.' },
  oauth_state_invalid: {
    status: 400,
    message:
      'No authorisation waits for this answer: it was used before, came too late, or belongs to another browser. Nothing was connected.',
    hint: 'Begin again with `knowtation owner intent open <intent_id>`.',
  },
  enrollment_code_invalid: {
    status: 400,
    message: 'The code is not known, was used before, or its time is over.',
    hint: '`knowtation owner intent create <connector>` makes a new code.',
  },
  secrets_unavailable: { status: 503, message: 'Credentials cannot be sealed now. Nothing was connected.' },
  source_unreachable: {
    status: 502,
    message: 'The source could not be reached.',
    hint: 'Check the address. For one of this machine or network, see allow_private_sources in docs/policy.md.',
  },
  source_refused: { status: 409, message: 'The source refused.' },
  source_needs_attention: { status: 409, message: 'The source does not accept the credential.' },
  source_bad_answer: { status: 502, message: 'The source sent an answer that cannot be used.' },
  source_too_large: { status: 409, message: 'The source is too large.' },
  source_rate_limited: { status: 503, message: 'The source asks for patience.' },
  source_not_found: { status: 409, message: 'The source is not there.' },
})

/** The codes of a step that reaches a source. */
export const sourceErrors = intentErrors.pick(
  'connector_unusable',
  'secrets_unavailable',
  'source_unreachable',
  'source_refused',
  'source_needs_attention',
  'source_bad_answer',
  'source_too_large',
  'source_rate_limited',
  'source_not_found',
)

/** What is refused about one intent. */
export const openIntentErrors = intentErrors.pick(
  'connector_not_found',
  'intent_not_found',
  'intent_expired',
  'intent_ended',
  'intent_needs_other_step',
)

const SOURCE_CODES: Readonly<Record<SourceFaultCode, keyof typeof sourceErrors>> = {
  unreachable: 'source_unreachable',
  refused: 'source_refused',
  needs_attention: 'source_needs_attention',
  bad_answer: 'source_bad_answer',
  too_large: 'source_too_large',
  rate_limited: 'source_rate_limited',
  not_found: 'source_not_found',
}

/** The refusal that a fault of a source's or of the secrets key's means; other errors stay what they are. */
export function asIntentRefusal(error: unknown): unknown {
  if (error instanceof SourceFault) return new OwnerRefusal(SOURCE_CODES[error.code], error.message)
  if (error instanceof SecretsKeyFault) return new OwnerRefusal('secrets_unavailable', error.message)
  return error
}
