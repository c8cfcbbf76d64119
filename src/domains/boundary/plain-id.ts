import { z } from 'zod'

const ID_CHARS = 256

/** An id of the host's own making: one line of text that both databases keep to the letter. */
export function isPlainId(value: string): boolean {
  return (
    value.length <= ID_CHARS &&
    value.trim() !== '' &&
    value.isWellFormed() &&
    !/[\p{Cc}\u2028\u2029]/u.test(value)
  )
}

/** Such an id as an input. */
export function PlainId(description: string) {
  return z.string().min(1).max(ID_CHARS).refine(isPlainId).describe(description)
}

export const TenantId = PlainId('The tenant')
export const RobotId = PlainId('The robot')

const LEDGER_ID = /^[A-Za-z0-9][\w.:-]{0,127}$/

/** Whether a ledger's entry can have this id; nothing else is ever looked up. */
export function isLedgerId(value: string): boolean {
  return LEDGER_ID.test(value)
}

/** The ids that a ledger's entries can have. */
export const LedgerId = z.string().regex(LEDGER_ID).describe('The id of the ledger entry')
