/** All that is said of a code. On the wire: its HTTP status, and a text that says nothing about anyone's data. */
export interface ErrorDefinition {
  readonly status: number
  readonly message: string
  /** A sentence for a person, where the contract wants the code itself as the text. */
  readonly says?: string
  /** What a person at the command line can do about it. */
  readonly hint?: string
}

export type ErrorTable = Readonly<Record<string, ErrorDefinition>>

/** Refusals that the pipeline and the surfaces themselves may give, for any operation. */
export const COMMON_ERRORS = {
  BAD_REQUEST: {
    status: 400,
    message: 'The request is not valid.',
    hint: 'Run the command with --help to see what it takes.',
  },
  UNAUTHENTICATED: {
    status: 401,
    message: 'Authentication is required.',
    hint: 'Pass --token or set KNOWTATION_TOKEN; `knowtation token create --role viewer` makes one.',
  },
  FORBIDDEN: {
    status: 403,
    message: 'The caller may not do this.',
    hint: 'Use a credential whose role allows this (`knowtation whoami` shows the one in use). What is for the owner alone runs on the home, without --url and --token.',
  },
  VAULT_DENIED: {
    status: 403,
    message: 'The credential does not open this vault.',
    hint: 'Name a vault that the token opens with --vault; a token opens the vault it was made in.',
  },
  AUDIENCE_DENIED: {
    status: 403,
    message: 'This token is for MCP, and opens nothing else.',
    hint: 'Over REST and at the command line use a token of `knowtation token create`.',
  },
  HOST_DENIED: {
    status: 403,
    message: 'The hub does not answer under this host name.',
    hint: 'Add the host name to hosted_hostnames in the config.yaml of the hub.',
  },
  ORIGIN_DENIED: {
    status: 403,
    message: 'The hub does not answer pages of this origin.',
    hint: 'Add the origin to allowed_origins in the config.yaml of the hub.',
  },
  PRESENCE_REQUIRED: {
    status: 403,
    message: 'This opens something, so it takes the owner in person: the password, or a tap in the browser.',
    hint: 'Run it in a terminal, or with --in-browser, or give the password on stdin with --password-stdin.',
  },
  NOT_FOUND: {
    status: 404,
    message: 'There is nothing at this address.',
    hint: 'Give --url without a path such as /mcp. Else the hub may be older than this program: compare `knowtation --version` on both sides.',
  },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This address does not take this method.' },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    message: 'The body is larger than 1 MiB.',
    hint: 'Make it smaller: 1 MiB is the limit everywhere.',
  },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'The body must be application/json.' },
  LOCKED: {
    status: 423,
    message: 'The owner has locked this. Nothing was done.',
    hint: 'The owner sees the locks with `knowtation lock list`, and takes one away with `lock release`.',
  },
  RATE_LIMITED: {
    status: 429,
    message: 'Too many calls. Wait before trying again.',
    hint: 'Wait a little, then try again.',
  },
  RUNTIME_ERROR: {
    status: 500,
    message: 'The hub failed to answer.',
    hint: 'The lines above, `knowtation doctor` or the log of the hub name the place.',
  },
  STORAGE_UNAVAILABLE: {
    status: 503,
    message: 'The store or the audit log cannot be written now. Nothing was changed.',
    hint: 'Check that the home exists, may be written and its disk has room; then run `knowtation doctor`.',
  },
} as const satisfies ErrorTable

export type CommonCode = keyof typeof COMMON_ERRORS

/** Declares a domain's errors and lets its operations name the ones they may give. */
export function errorTable<const Table extends ErrorTable>(table: Table) {
  return {
    table,
    pick<const Code extends keyof Table & string>(...codes: Code[]): Pick<Table, Code> {
      return Object.fromEntries(codes.map((code) => [code, table[code]])) as Pick<Table, Code>
    },
  }
}

/** A call that is not carried out, for a reason the caller may know. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: string
  /** Says more than the code's constant text; made of our own words only, never of the caller's data. */
  readonly reason: string | undefined
  readonly retry_after_seconds: number | undefined

  constructor(code: string, reason?: string, retry_after_seconds?: number) {
    super(code)
    this.code = code
    this.reason = reason
    this.retry_after_seconds = retry_after_seconds
  }
}

/** Refuses with a code that every operation may give. */
export function refuse(code: CommonCode, reason?: string, retry_after_seconds?: number): never {
  throw new Refusal(code, reason, retry_after_seconds)
}
