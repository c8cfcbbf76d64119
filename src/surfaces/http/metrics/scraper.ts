import { readFileSync } from 'node:fs'
import type { Hub } from '../../../operations/hub.ts'
import { hashSecret } from '../../../platform/basics/secret-hash.ts'
import type { Identity } from '../identify.ts'

/** Shorter ones can be guessed. */
const MIN_CHARS = 32
const MAX_CHARS = 1_024

/**
 * Whether the numbers are told to a request. On this machine they are told to all; under the public name to whoever shows
 * the token that the owner keeps in a file for that. It is read with each request, so that a new one counts at once.
 */
export function mayScrape(
  { config, log }: Pick<Hub, 'config' | 'log'>,
  { hosted, named }: Pick<Identity, 'hosted' | 'named'>,
  authorization: string | undefined,
): boolean {
  if (!hosted) return true
  const { token_file } = config.metrics
  const shown = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1]
  if (!named || token_file === undefined || shown === undefined) return false
  try {
    const token = readFileSync(token_file, 'utf8').trim()
    const isGood = token.length >= MIN_CHARS && token.length <= MAX_CHARS
    if (!isGood) log.warn({ token_file }, `the token for metrics has to have ${MIN_CHARS} characters or more`)
    // Hashes are compared, so how long that takes tells nothing of the token.
    return isGood && hashSecret(token) === hashSecret(shown)
  } catch (error) {
    log.warn({ token_file, fault: (error as Error).name }, 'the token for metrics cannot be read')
    return false
  }
}
