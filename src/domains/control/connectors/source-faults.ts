import { TreeUnsound } from '../../../platform/trees/folder-chain.ts'
import { ownerPlace } from '../../../platform/trees/owner-place.ts'
import { AddressRefused } from '../../../platform/upstream/http/guarded-agent.ts'
import { type SourceAnswer, SourceFault } from './connector.ts'

const MAX_RETRY_AFTER_SECONDS = 86_400

/** What went wrong on the way to a source, in words of our own. */
export function asSourceFault(error: unknown): SourceFault {
  if (error instanceof SourceFault) return error
  if (error instanceof AddressRefused) {
    return new SourceFault('refused', 'The source lies at an address that this hub may not reach.')
  }
  const { name, code } = error as Error & { code?: string }
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new SourceFault('too_large', 'The source sent too many headers.')
  // Nothing was sent, and nothing would be at the next try.
  if (code === 'UND_ERR_INVALID_ARG')
    return new SourceFault(
      'needs_attention',
      'A credential or setting holds a sign that no request can carry.',
    )
  if (name === 'HTTPParserError' || code?.startsWith('Z_') || code?.startsWith('ERR__ERROR_FORMAT')) {
    return new SourceFault('bad_answer', 'The source sent an answer that cannot be read.')
  }
  return new SourceFault('unreachable', 'The source could not be reached.')
}

/** Where a folder of a connection really lies. An agent that works there leads nobody elsewhere by a link. */
export function requireOwnersPlace(path: string): string {
  try {
    return ownerPlace(path)
  } catch (error) {
    if (!(error instanceof TreeUnsound)) throw error
    throw new SourceFault('refused', 'A link stands on the way, in a project where agents work.')
  }
}

/** Refuses an answer that is not a success. */
export function checkAnswer({ status, headers }: SourceAnswer): void {
  if (status >= 200 && status < 300) return
  const after = retryAfter(headers)
  if (status === 429) throw new SourceFault('rate_limited', 'The source asks for patience.', after)
  if (status === 401 || status === 407) {
    throw new SourceFault('needs_attention', `The source does not accept the credential (${status}).`)
  }
  if (status === 403) throw new SourceFault('refused', 'The source refuses access (403).')
  if (status === 404 || status === 410) {
    throw new SourceFault('not_found', `The source is not there (${status}).`)
  }
  if (status >= 500 || status === 408) {
    throw new SourceFault('unreachable', `The source has a fault of its own (${status}).`, after)
  }
  throw new SourceFault('bad_answer', `The source answered with the status ${status}.`)
}

/** How long a source asks to be left alone; only the form in seconds is taken. */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? ''
  return /^\d{1,9}$/.test(text) ? Math.min(Number(text), MAX_RETRY_AFTER_SECONDS) : undefined
}
