import { z } from 'zod'
import type { Contract, EndedCall } from './contract.ts'
import type { Operation } from './define-operation.ts'
import { COMMON_ERRORS, type CommonCode, type ErrorDefinition, Refusal } from './errors.ts'
import { errorTypeOf, SURFACE_CODES, surfaceErrors } from './owner-errors.ts'

/** A refusal that tells the caller more than a sentence, in fields of its own beside it. */
export class OwnerRefusal extends Refusal {
  readonly details: Readonly<Record<string, unknown>>
  constructor(code: string, reason?: string, details: Readonly<Record<string, unknown>> = {}) {
    super(code, reason)
    this.details = details
  }
}

/** How every refusal looks. */
const OwnerError = z
  .strictObject({
    error: z.looseObject({ type: z.string(), code: z.string(), message: z.string(), request_id: z.string() }),
  })
  .meta({ id: 'OwnerError' })

const PERMISSION_CODES = ['FORBIDDEN', 'UNAUTHENTICATED']

/**
 * The form of the owner's surface: answers as they are, refusals as `{error: {type, code, message, …}}`.
 * Operations that declare `surfaceErrors.table` among their errors and `rest` under `/v1/owner` use it.
 */
export const ownerContract: Contract = {
  forStrangers: true,
  refusals: OwnerError,
  toRefusal(error) {
    if (!(error instanceof Refusal) || !Object.hasOwn(SURFACE_CODES, error.code)) return undefined
    const code = error.code as CommonCode
    // Who may come in is said in the words of this surface, all else in the hub's.
    const words = PERMISSION_CODES.includes(code) ? undefined : COMMON_ERRORS[code].message
    return new Refusal(SURFACE_CODES[code], error.reason ?? words, error.retry_after_seconds)
  },
  async renderSuccess({ operation, requestId }, output) {
    requestId()
    return JSON.stringify(operation.output.parse(output))
  },
  renderRefusal: async (ended, refusal, text) => renderOwnerError(ended, refusal, text),
  async onRefused() {},
}

/** The same where only a session opens anything: a credential for something else counts as none. */
export const sessionContract: Contract = {
  ...ownerContract,
  toRefusal(error) {
    const isElsewhere = error instanceof Refusal && ['VAULT_DENIED', 'AUDIENCE_DENIED'].includes(error.code)
    return isElsewhere ? new Refusal('authentication_error') : ownerContract.toRefusal(error)
  },
}

/** The code and the status of a refusal, in the words of this surface. */
export function ownerCode(operation: Pick<Operation, 'errors'>, refusal: Refusal) {
  const code = Object.hasOwn(SURFACE_CODES, refusal.code)
    ? SURFACE_CODES[refusal.code as CommonCode]
    : refusal.code
  const own: Record<string, ErrorDefinition> = { ...surfaceErrors.table, ...operation.errors }
  return { code, http_status: own[code]?.status ?? 500 }
}

function renderOwnerError(ended: EndedCall, refusal: Refusal, message: string): string {
  const { hub, operation } = ended
  const request_id = ended.requestId()
  const { code, http_status } = ownerCode(operation, refusal)
  hub.log.info({ request_id, operation: operation.name, code }, 'owner call refused')
  const details = refusal instanceof OwnerRefusal ? refusal.details : {}
  return JSON.stringify({ error: { type: errorTypeOf(http_status), code, message, ...details, request_id } })
}
