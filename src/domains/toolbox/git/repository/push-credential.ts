import { statSync } from 'node:fs'
import { join } from 'node:path'
import { findFile } from '../../../../platform/basics/private-file.ts'
import { ToolFault } from '../../tool-fault.ts'
import type { RemoteAddress } from './remote-address.ts'

const CREDENTIAL = /^[\x21-\x39\x3b-\x7e]{1,200}:[\x21-\x7e]{1,1000}$/

/** A name and a token, and the setting that makes git send them to one host alone. */
export interface PushCredential {
  readonly setting: { readonly name: string; readonly value: string }
  /** Texts that must not be shown. */
  readonly secrets: readonly string[]
}

/**
 * Finds what the owner has put into `<home>/git-credentials/<host>`: one line `name:token`, readable by the
 * owner alone. It goes to no other host, whatever a remote is called.
 */
export function findCredential(home: string, remote: RemoteAddress): PushCredential | undefined {
  if (remote.kind !== 'https') return undefined
  const path = join(home, 'git-credentials', remote.host)
  const line = findFile(path)?.trimEnd()
  if (line === undefined) return undefined
  if (!CREDENTIAL.test(line) || (statSync(path).mode & 0o077) !== 0) throw damaged(path)
  const encoded = Buffer.from(line).toString('base64')
  const { origin } = new URL(remote.address)
  return {
    setting: { name: `http.${origin}/.extraHeader`, value: `Authorization: Basic ${encoded}` },
    secrets: [encoded, line.slice(line.indexOf(':') + 1)],
  }
}

function damaged(path: string): ToolFault {
  return new ToolFault(
    'ConfigDamaged',
    `${path} is not one line name:token that only its owner may read.`,
    'Ask the owner to repair that file (mode 0600).',
  )
}
