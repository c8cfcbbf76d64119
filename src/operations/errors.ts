/** How a refusal looks from outside: its HTTP status and a text that says nothing about anyone's data. */
export interface ErrorDefinition {
  readonly status: number
  readonly message: string
}

export type ErrorTable = Readonly<Record<string, ErrorDefinition>>

/** Refusals that the pipeline and the surfaces themselves may give, for any operation. */
export const COMMON_ERRORS = {
  BAD_REQUEST: { status: 400, message: 'The request is not valid.' },
  UNAUTHENTICATED: { status: 401, message: 'Authentication is required.' },
  FORBIDDEN: { status: 403, message: 'The caller may not do this.' },
  VAULT_DENIED: { status: 403, message: 'The credential does not open this vault.' },
  HOST_DENIED: { status: 403, message: 'The hub does not answer under this host name.' },
  ORIGIN_DENIED: { status: 403, message: 'The hub does not answer pages of this origin.' },
  NOT_FOUND: { status: 404, message: 'There is nothing at this address.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This address does not take this method.' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The body is larger than 1 MiB.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'The body must be application/json.' },
  LOCKED: { status: 423, message: 'The owner has locked this. Nothing was done.' },
  RATE_LIMITED: { status: 429, message: 'Too many calls. Wait before trying again.' },
  RUNTIME_ERROR: { status: 500, message: 'The hub failed to answer.' },
  STORAGE_UNAVAILABLE: {
    status: 503,
    message: 'The store or the audit log cannot be written now. Nothing was changed.',
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
