import { z } from 'zod'
import { isBlank } from '../../platform/basics/hidden-signs.ts'
import { text } from './bundle/value-rules.ts'

/** Text from outside that both databases keep to the letter; it is stored and shown, never followed. */
export function PlainText(max_chars: number) {
  const findFault = text(max_chars)
  return z
    .string()
    .max(max_chars)
    .refine((value) => findFault(value, { at: '', owner: {} }) === undefined)
}

/** Such text that holds more than white space. */
export function NonBlankText(max_chars: number) {
  return PlainText(max_chars).refine((value) => !isBlank(value))
}
