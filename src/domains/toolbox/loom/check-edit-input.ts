import { hasMark } from '../../../platform/redaction/mark.ts'
import type { Redactor } from '../../../platform/redaction/redactor.ts'
import { ToolFault } from '../tool-fault.ts'
import { checkAddedSecrets } from './added-secrets.ts'
import { nameOf } from './check-matches.ts'
import type { Edit } from './edit.ts'

/** Checks a text that is to be written: can be stored as text, and is neither redacted nor secret. */
export function checkContent(content: string, redactor: Redactor): void {
  checkText(content, 'content')
  checkAddedSecrets(redactor, content)
}

/** Checks what can be said of edits without the file. */
export function checkEdits(edits: readonly Edit[], redactor: Redactor): void {
  for (const [place, edit] of edits.entries()) {
    checkText(edit.spec, `the spec of ${nameOf(edits, place)}`)
    if (edit.operation === 'delete') continue
    if (edit.content === undefined) throw missingContent(nameOf(edits, place), edit.operation)
    checkText(edit.content, `the content of ${nameOf(edits, place)}`)
    checkAddedSecrets(redactor, edit.content)
  }
}

function checkText(text: string, name: string): void {
  if (!text.isWellFormed() || text.includes('\0'))
    throw new ToolFault(
      'ValidationError',
      `What is given as ${name} is no text: it has a NUL character or half of a surrogate pair.`,
      'Only text can be written. Leave such characters out.',
    )
  if (hasMark(text))
    throw new ToolFault(
      'ValidationError',
      `What is given as ${name} has a redaction mark in it: it was copied from a text whose secrets were hidden.`,
      'The file has the secret there, not the mark. Use edit_file with a spec and content that leave that part out.',
    )
}

function missingContent(name: string, operation: string): ToolFault {
  return new ToolFault(
    'ValidationError',
    `There is no content for ${name}, which ${operation} needs.`,
    'Give content; to remove the match use delete.',
  )
}
