import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import { lstatSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Home } from '../basics/home.ts'
import { findFile, readOrCreatePrivateFile, syncPath } from '../basics/private-file.ts'
import type { System } from '../basics/system.ts'

/** What sealing needs of a hub. */
export interface SecretsPlace {
  readonly home: Pick<Home, 'secretsKey' | 'nextSecretsKey'>
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
const NEXT_VARIABLE = 'KNOWTATION_SECRETS_KEY_NEXT'
const KEY_FORM = /^[0-9a-f]{64}$/
const OTHERS = 0o077

/**
 * The key that is there. Throws where there is none: what was sealed cannot be opened with a new one. While keys are
 * exchanged there are two, and the one with this id is meant.
 */
export function requireSecretsKey(place: SecretsPlace, key_id?: string): SecretsKey {
  const key = readKey(place)
  if (key_id === undefined || key.key_id === key_id) return key
  const next = findNextKey(place)
  if (next?.key_id === key_id) return next
  // Between the two looks the next key may have taken its place.
  return next ? key : readKey(place)
}

function readKey(place: SecretsPlace): SecretsKey {
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

function findNextKey({ env, home }: SecretsPlace): SecretsKey | undefined {
  const given = env[NEXT_VARIABLE]
  if (env[VARIABLE]) return given ? parseKey(given, NEXT_VARIABLE) : undefined
  const path = home.nextSecretsKey
  const text = findFile(path)
  if (text === undefined) return undefined
  checkPrivate(path)
  return parseKey(text, path)
}

/** The key to change over to: the owner's where the keys are in the environment, else one that is made now. */
export function ensureNextKey(place: SecretsPlace): SecretsKey {
  if (!place.env[VARIABLE])
    readOrCreatePrivateFile(place.home.nextSecretsKey, () => `${place.system.random(32)}\n`)
  const next = findNextKey(place)
  if (next) return next
  throw new SecretsKeyFault(
    `The key is in ${VARIABLE}. Give every hub the new one in ${NEXT_VARIABLE} first, then try again.`,
  )
}

/**
 * Puts a key that the store is sealed with in the place of the old one, and answers where it is. Another one that
 * waits by now belongs to an exchange of its own. A variable is the owner's to change.
 */
export function placeNextKey(place: SecretsPlace, key_id: string): string {
  const { env, home } = place
  if (env[VARIABLE]) return NEXT_VARIABLE
  if (findNextKey(place)?.key_id === key_id) renameSync(home.nextSecretsKey, home.secretsKey)
  syncPath(dirname(home.secretsKey))
  return home.secretsKey
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
