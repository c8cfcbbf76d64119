import { COMMON_ERRORS, type ErrorDefinition, type ErrorTable } from '../../../operations/errors.ts'

/** What the command line itself may fail with, beside what a hub refuses with. */
const OWN_HINTS: Readonly<Record<string, string>> = {
  HUB_UNREACHABLE: 'Start it with `knowtation serve`, check --url, or leave out --url to use the home.',
}

const DEFAULT_HINT = 'Run the command with --help, or `knowtation doctor`, to learn more.'

/** For a credential that was given and does not count. */
const UNKNOWN_TOKEN =
  'The hub at --url does not take this token: it was cut, revoked, has expired, or is of another home. ' +
  '`knowtation token list` shows those of a home.'

/** Codes of a call that has no credential, or none that counts. */
const WITHOUT_CREDENTIAL = ['UNAUTHENTICATED', 'authentication_error']

/** What to do about a failure; `errors` are those that the operation declares. */
export function hintFor(code: string, errors: ErrorTable = {}, { with_token = false } = {}): string {
  if (with_token && WITHOUT_CREDENTIAL.includes(code)) return UNKNOWN_TOKEN
  if (Object.hasOwn(OWN_HINTS, code)) return OWN_HINTS[code] as string
  return definitionOf(code, errors)?.hint ?? DEFAULT_HINT
}

/** A sentence for a refusal: its own text, or that of its definition when the text only repeats the code. */
export function sentenceFor(code: string, message: string, errors: ErrorTable): string {
  if (message !== '' && message !== code) return message
  return definitionOf(code, errors)?.says ?? 'The hub refused this.'
}

function definitionOf(code: string, errors: ErrorTable): ErrorDefinition | undefined {
  const tables: readonly ErrorTable[] = [errors, COMMON_ERRORS]
  return tables.find((table) => Object.hasOwn(table, code))?.[code]
}
