import { readFileSync } from 'node:fs'
import type { Finding } from './doctor-finding.ts'

const SUBJECT = 'user of the hub'
/** What stands for a shell where nobody is to sign in. */
const NO_SHELL = /\/(nologin|false|true)$|^$/

/**
 * Whether the hub runs as a user who can sign in. Coding agents run as such a user, too, and what runs as the hub's user can
 * read and change the hub's files.
 */
export function ownUserFindings(
  uid: number | null = process.getuid?.() ?? null,
  accounts: string | null = readAccounts(),
): Finding[] {
  if (uid === null || accounts === null) return []
  const [name = String(uid), , , , , , shell = ''] =
    accounts
      .split('\n')
      .map((line) => line.split(':'))
      .find((fields) => fields[2] === String(uid)) ?? []
  if (NO_SHELL.test(shell.trim()))
    return [{ subject: SUBJECT, state: 'ok', detail: `${name}, as whom nobody signs in`, fix: null }]
  const detail = `${name}, who can sign in: an agent that runs as ${name} can read and change the hub's files`
  const fix = 'Give the hub a user of its own; docs/running.md has the commands.'
  return [{ subject: SUBJECT, state: 'off', detail, fix }]
}

function readAccounts(): string | null {
  try {
    return readFileSync('/etc/passwd', 'utf8')
  } catch {
    return null
  }
}
