import { type CommonCode, errorTable } from './errors.ts'

/** Errors that every operation of the owner's surface may give, in the words of its contract. */
export const surfaceErrors = errorTable({
  invalid_request: { status: 400, message: 'The request is not valid.' },
  authentication_error: {
    status: 401,
    message: "Authentication is required: present an owner agent's bearer.",
    hint: 'Log in with `owner agent login --url URL`, or leave out --url to use the home; what takes the owner in person works there alone.',
  },
  permission_error: {
    status: 403,
    message: 'This takes the owner, or an agent that the owner approved.',
    hint: 'This takes the owner: run it on the home of the hub, without --url and --token, or sign in with a browser.',
  },
  presence_required: {
    status: 403,
    message: 'This opens something, so it takes the owner in person: the password, or a tap in the browser.',
    hint: 'Run it in a terminal, or with --in-browser, or give the password on stdin with --password-stdin.',
  },
  not_found: { status: 404, message: 'There is nothing at this address.' },
  method_not_allowed: { status: 405, message: 'This address does not take this method.' },
  payload_too_large: { status: 413, message: 'The body is too large.' },
  unsupported_media_type: { status: 415, message: 'The body is not of the media type this address takes.' },
  locked: { status: 423, message: 'The owner has locked this. Nothing was done.' },
  rate_limited: {
    status: 429,
    message: 'Too many calls. Wait before trying again.',
    hint: 'Wait a little, then try again.',
  },
  api_error: { status: 500, message: 'The hub failed to answer.' },
  storage_unavailable: {
    status: 503,
    message: 'The store or the audit log cannot be written now. Nothing was changed.',
  },
})

/** The same, where the owner has to be there in person. */
export const sessionErrors = errorTable({
  authentication_error: { status: 401, message: 'This takes the owner, signed in.' },
})

/** What the pipeline's own codes are called on the owner's surface. */
export const SURFACE_CODES: Readonly<Record<CommonCode, keyof typeof surfaceErrors.table>> = {
  BAD_REQUEST: 'invalid_request',
  UNAUTHENTICATED: 'authentication_error',
  FORBIDDEN: 'permission_error',
  VAULT_DENIED: 'permission_error',
  AUDIENCE_DENIED: 'permission_error',
  HOST_DENIED: 'permission_error',
  ORIGIN_DENIED: 'permission_error',
  PRESENCE_REQUIRED: 'presence_required',
  NOT_FOUND: 'not_found',
  METHOD_NOT_ALLOWED: 'method_not_allowed',
  PAYLOAD_TOO_LARGE: 'payload_too_large',
  UNSUPPORTED_MEDIA_TYPE: 'unsupported_media_type',
  LOCKED: 'locked',
  RATE_LIMITED: 'rate_limited',
  RUNTIME_ERROR: 'api_error',
  STORAGE_UNAVAILABLE: 'storage_unavailable',
}

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  410: 'gone_error',
  413: 'request_entity_too_large_error',
  429: 'rate_limit_error',
}

/** The kind of error that a status means. */
export function errorTypeOf(status: number): string {
  return TYPES[status] ?? 'api_error'
}
