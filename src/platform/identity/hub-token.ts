import { readFileSync, statSync } from 'node:fs'
import { type FileIdentity, isSameFile } from '../basics/file-identity.ts'
import type { Home } from '../basics/home.ts'
import { readOrCreatePrivateFile, replacePrivateFile } from '../basics/private-file.ts'
import { hashSecret } from '../basics/secret-hash.ts'
import type { System } from '../basics/system.ts'

/** What is kept in memory of the hub's own token. */
export interface HubToken {
  readonly length: number
  readonly hash: string
}

/** One that could be guessed, or a file cut short, is no token. */
const FORM = /^\S{32,256}$/

const newToken = (system: System) => `khub_${system.random(32)}\n`

/** Sees to it that the home has a token, and that it is one. */
export function ensureHubToken({ hubToken }: Pick<Home, 'hubToken'>, system: System): void {
  const token = readOrCreatePrivateFile(hubToken, () => newToken(system)).trim()
  if (FORM.test(token)) return
  throw new Error(`The hub token in ${hubToken} is damaged. Remove the file to have a new one made.`)
}

/** Puts a new token in the place of the old one, which no hub of this home takes from then on. */
export function replaceHubToken({ hubToken }: Pick<Home, 'hubToken'>, system: System): void {
  replacePrivateFile(hubToken, newToken(system))
}

/**
 * Follows the file of the token: what is in it counts from the next request on. Where there is none, or one that
 * is damaged, no token counts.
 */
export function followHubToken(path: string): () => HubToken | undefined {
  let known: { stats: FileIdentity; token: HubToken | undefined } | undefined
  return () => {
    const stats = findStats(path)
    if (!known || !isSameFile(known.stats, stats)) known = { stats, token: findToken(path) }
    return known.token
  }
}

/** No file has this: where there is none, or none that may be looked at. */
const NO_FILE: FileIdentity = { ino: -1, size: -1, mtimeMs: -1, ctimeMs: -1 }

function findStats(path: string): FileIdentity {
  try {
    return statSync(path)
  } catch {
    return NO_FILE
  }
}

function findToken(path: string): HubToken | undefined {
  try {
    const token = readFileSync(path, 'utf8').trim()
    return FORM.test(token) ? { length: token.length, hash: hashSecret(token) } : undefined
  } catch {
    return undefined
  }
}
