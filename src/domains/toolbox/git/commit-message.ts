import { hasMark } from '../../../platform/redaction/mark.ts'
import type { Redactor } from '../../../platform/redaction/redactor.ts'
import { ToolFault } from '../tool-fault.ts'

/** Room for a long explanation; more belongs into a file. */
export const MAX_MESSAGE_CHARS = 10_000
// Tab and line end are text; every other control character can hide something from whoever reads the log.
const CONTROL = /[^\P{Cc}\t\n]|[\u202A-\u202E\u2066-\u2069]/u

/** The message with plain line ends; refused is one that says nothing, hides something or carries a secret. */
export function readMessage(given: string, redactor: Redactor): string {
  const message = given.replaceAll('\r\n', '\n')
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(message)) throw invalid('The commit message is blank.')
  if (message.length > MAX_MESSAGE_CHARS) {
    throw invalid(`The commit message is longer than ${MAX_MESSAGE_CHARS} characters.`)
  }
  if (CONTROL.test(message) || !message.isWellFormed()) {
    throw invalid('The commit message has a control character that is no tab or line end.')
  }
  if (hasMark(message)) throw invalid('The commit message has a redaction mark in it.')
  if (redactor.hasSecret(message)) {
    throw new ToolFault(
      'SecurityError',
      'The commit message carries a secret.',
      'Say what changed without the value itself.',
    )
  }
  return message
}

function invalid(message: string): ToolFault {
  return new ToolFault('ValidationError', message, 'Give a plain text that says what the commit changes.')
}
