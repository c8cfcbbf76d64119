import { valueRedactor } from '../../../platform/upstream/redact-values.ts'
import {
  type Collector,
  type Page,
  SOURCE_FAULTS,
  type Source,
  SourceFault,
  type SourceFaultCode,
} from './connector.ts'
import { type ConnectorManifest } from './manifest-schema.ts'

/** Records and removals of one page together. */
export const MAX_PAGE_RECORDS = 500
/** Characters of a record's key. */
const MAX_KEY_CHARS = 512

/** Holds a collector to its interface: pages as agreed, faults of a known kind, credentials nowhere. */
export function guardCollector(manifest: ConnectorManifest, inner: Collector): Collector {
  const { watch, revoke } = inner
  const run = async <Answer>(source: Source, act: (source: Source) => Promise<Answer>): Promise<Answer> => {
    const { source: watched, redact } = watchSecrets(manifest, source)
    try {
      return await act(watched)
    } catch (error) {
      throw cleanFault(error, manifest, source, redact())
    }
  }
  return {
    probe: (source) => run(source, (watched) => inner.probe(watched)),
    collect: (source) => guardedPages(manifest, inner, source),
    ...(watch && { watch: (source, onChange) => watch.call(inner, source, onChange) }),
    ...(revoke && { revoke: (source) => run(source, (watched) => revoke.call(inner, watched)) }),
  }
}

async function* guardedPages(
  manifest: ConnectorManifest,
  inner: Collector,
  source: Source,
): AsyncGenerator<Page> {
  const { source: watched, redact } = watchSecrets(manifest, source)
  try {
    for await (const page of inner.collect(watched)) {
      source.signal.throwIfAborted()
      checkPage(manifest, page)
      checkCheckpoint(page, redact())
      yield page
    }
  } catch (error) {
    throw cleanFault(error, manifest, source, redact())
  }
}

function checkPage({ streams }: ConnectorManifest, { stream, upserts, removals = [], bytes }: Page): void {
  const isPage =
    streams.includes(stream) && Array.isArray(upserts) && Array.isArray(removals) && Number.isFinite(bytes)
  if (!isPage) throw new SourceFault('bad_answer', 'The connector made a page that is none.')
  if (upserts.length + removals.length > MAX_PAGE_RECORDS) {
    throw new SourceFault('too_large', `The connector made a page of more than ${MAX_PAGE_RECORDS} records.`)
  }
  const keys = [...upserts.map(({ key }) => key), ...removals]
  if (!keys.every((key) => typeof key === 'string' && key !== '' && key.length <= MAX_KEY_CHARS)) {
    throw new SourceFault('bad_answer', 'The connector made a record whose key is empty or too long.')
  }
}

function checkCheckpoint({ checkpoint }: Page, redact: (text: string) => string): void {
  const text = JSON.stringify(checkpoint ?? null)
  if (redact(text) === text) return
  throw new SourceFault('bad_answer', 'The connector put a credential into its checkpoint.')
}

/** Remembers which credentials a collector has seen, for as long as it works. */
function watchSecrets(
  { settings }: ConnectorManifest,
  source: Source,
): { source: Source; redact(): (text: string) => string } {
  // What was uploaded is what the records are made of.
  const uploads = new Set(settings.filter(({ kind }) => kind === 'file').map(({ name }) => name))
  const seen = new Set<string>()
  let redact = valueRedactor([])
  const note = (name: string, value: string): string => {
    if (uploads.has(name)) return value
    for (const part of secretParts(value)) seen.add(part)
    redact = valueRedactor([...seen])
    return value
  }
  const log = (level: 'debug' | 'info' | 'warn' | 'error') => (fields: object, message: string) =>
    source.log[level](JSON.parse(redact(JSON.stringify(fields))) as object, redact(message))
  return {
    redact: () => redact,
    source: {
      ...source,
      secret: async (name) => note(name, await source.secret(name)),
      replaceSecret: (name, value) => source.replaceSecret(name, note(name, value)),
      log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    },
  }
}

/** What must not be seen of a credential: itself and, where it is a record of several, each that is secret. */
function secretParts(value: string): string[] {
  if (!value.startsWith('{')) return [value]
  try {
    const members = Object.entries(JSON.parse(value) as Record<string, unknown>)
    const secret = members.filter(([name]) => /token|secret|pass|key/i.test(name))
    return [value, ...secret.map(([, part]) => part).filter((part) => typeof part === 'string')]
  } catch {
    return [value]
  }
}

/** A fault as it may be shown. What a connector's own code throws may hold anything, so its words are dropped. */
function cleanFault(
  error: unknown,
  { display_name }: ConnectorManifest,
  source: Source,
  redact: (text: string) => string,
): unknown {
  if (source.signal.aborted) return source.signal.reason
  const { name, code, message, retry_after_seconds } = error as Partial<SourceFault>
  if (name !== 'SourceFault' || !SOURCE_FAULTS.includes(code as SourceFaultCode)) {
    const fault = typeof name === 'string' ? redact(name) : typeof error
    source.log.warn({ connection_id: source.connection_id, fault }, 'a connector failed')
    return new SourceFault('bad_answer', `The connector ${display_name} failed on what it was given.`)
  }
  return new SourceFault(code as SourceFaultCode, redact(String(message)), retry_after_seconds)
}
