import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import { lstatSync } from 'node:fs'
import type { Home } from '../basics/home.ts'
import { findFile, readOrCreatePrivateFile } from '../basics/private-file.ts'
import type { System } from '../basics/system.ts'

/** What sealing needs of a hub. */
export interface SecretsPlace {
  readonly home: Pick<Home, 'secretsKey'>
  readonly env: NodeJS.ProcessEnv
  readonly system: System
}

/** The key that the keys of all secrets are sealed with. */
export interface SecretsKey {
  /** Tells keys apart without revealing them. */
  readonly key_id: string
  readonly key: KeyObject
  /** Where it comes from, for whoever has to mend it. */
  readonly source: string
}

/** The key is missing, damaged, open to others, or another one than the secrets were sealed with. */
export class SecretsKeyFault extends Error {
  override readonly name = 'SecretsKeyFault'
}

const VARIABLE = 'KNOWTATION_SECRETS_KEY'
const KEY_FORM = /^[0-9a-f]{64}$/
const OTHERS = 0o077

/** The key that is there. Throws where there is none: what was sealed cannot be opened with a new one. */
export function requireSecretsKey(place: SecretsPlace): SecretsKey {
  const given = place.env[VARIABLE]
  if (given) return parseKey(given, VARIABLE)
  const path = place.home.secretsKey
  const text = findFile(path)
  if (text === undefined) {
    throw new SecretsKeyFault(
      `The key ${path} is missing. Put the file back, or set ${VARIABLE}: without it no credential opens.`,
    )
  }
  checkPrivate(path)
  return parseKey(text, path)
}

/** The key that is there, or one that is made now: only for a store that has nothing sealed yet. */
export function ensureSecretsKey(place: SecretsPlace): SecretsKey {
  if (!place.env[VARIABLE])
    readOrCreatePrivateFile(place.home.secretsKey, () => `${place.system.random(32)}\n`)
  return requireSecretsKey(place)
}

function checkPrivate(path: string): void {
  if ((lstatSync(path).mode & OTHERS) === 0) return
  throw new SecretsKeyFault(`The key ${path} is open to others. Take their rights away: chmod 600 ${path}`)
}

function parseKey(text: string, source: string): SecretsKey {
  const secret = text.trim()
  if (!KEY_FORM.test(secret))
    throw new SecretsKeyFault(`The key in ${source} is damaged: it must be 64 hexadecimal digits.`)
  const derive = (purpose: string) =>
    createHmac('sha256', Buffer.from(secret, 'hex')).update(`knowtation secrets ${purpose}`).digest()
  return { key_id: hash('sha256', derive('id')).slice(0, 16), key: createSecretKey(derive('seal')), source }
}
