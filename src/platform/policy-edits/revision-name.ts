import { hash } from 'node:crypto'
import { findPolicyFaults, type PolicyFault } from './policy-faults.ts'
import type { PolicyFile } from './policy-file.ts'

type Read = Pick<PolicyFile, 'text' | 'is_binary'>

/** What audit records call a file as a policy, in the part that is of this file. */
export function revisionOfFile({ text, is_binary }: Read): string {
  if (text === undefined) return 'none'
  // Nothing of it was read.
  if (is_binary) return `damaged-${shortHash('')}`
  return revisionOfText(text)
}

/** The same for a text. */
export function revisionOfText(text: string): string {
  return findPolicyFaults(text).length > 0 ? `damaged-${shortHash(text)}` : shortHash(text)
}

/** Everything that is wrong with what lies in the place of a policy. */
export function faultsOfFile({ text = '', is_binary }: Read): PolicyFault[] {
  if (!is_binary) return findPolicyFaults(text)
  const before = text.slice(0, text.indexOf('\ufffd')).split('\n')
  const column = (before.at(-1)?.length ?? 0) + 1
  return [{ line: before.length, column, at: '', message: 'holds bytes that are no UTF-8' }]
}

function shortHash(text: string): string {
  return hash('sha256', text).slice(0, 12)
}
