import type { Log } from '../../../platform/basics/plain-log.ts'
import type { ConnectorManifest } from './manifest-schema.ts'

/** What comes from a source: plain JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/** One thing that a source has, under the key by which the source knows it. */
export interface CollectedRecord {
  readonly key: string
  readonly data: JsonObject
}

/** A part of a source that is kept together with the mark from which to go on after it, or not at all. */
export interface Page {
  readonly stream: string
  readonly upserts: readonly CollectedRecord[]
  /** Keys that the source no longer has. */
  readonly removals?: readonly string[]
  /** Handed to the next attempt or run. It never holds a secret. */
  readonly checkpoint: Json
  /** How many records this run will see in all, where the source says so. */
  readonly total?: number
  /** How much was read for this page. */
  readonly bytes: number
}

/** What a source answered over HTTP. */
export interface SourceAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
  /** Where the answer came from in the end. */
  readonly url: string
}

/** Asks the source over HTTP: only public addresses unless the owner allowed others, bounded in size and time. */
export interface SafeFetch {
  (
    url: string,
    options?: {
      readonly method?: 'GET' | 'POST'
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
      readonly max_bytes?: number
    },
  ): Promise<SourceAnswer>
  /** The address to connect to for other protocols; refuses a host that the hub may not reach. */
  locate(hostname: string): Promise<string>
}

/** All that a collector gets. It keeps nothing between calls. */
export interface Source {
  readonly connection_id: string
  readonly settings: Readonly<Record<string, string>>
  /**
   * The credential of that name, or the text of an uploaded file; throws `SourceFault('needs_attention', …)`
   * where there is none. Settings of the kinds `secret` and `file` are read here, all others in `settings`.
   */
  secret(name: string): Promise<string>
  /** Keeps a newer credential, such as a refreshed token. */
  replaceSecret(name: string, value: string): Promise<void>
  readonly fetch: SafeFetch
  readonly checkpoint: Json
  readonly signal: AbortSignal
  readonly log: Log
  now(): Date
}

/** How a connector works. */
export interface Collector {
  /** Asks the source once, before a connection becomes active; answers a name for it where the source has one. */
  probe(source: Source): Promise<{ readonly display_name?: string }>
  /** Reads what is new since the checkpoint, page by page. */
  collect(source: Source): AsyncIterable<Page>
  /** Tells when there is something new, where the source can be watched; the answer ends the watching. */
  watch?(source: Source, onChange: () => void): () => Promise<void>
  /** Takes the credentials back at the provider, where it can. */
  revoke?(source: Source): Promise<void>
}

export const SOURCE_FAULTS = [
  'unreachable',
  'refused',
  'needs_attention',
  'bad_answer',
  'too_large',
  'rate_limited',
  'not_found',
] as const
export type SourceFaultCode = (typeof SOURCE_FAULTS)[number]

/** Why a source could not be read, in words that may be shown: never a credential, never what the source sent. */
export class SourceFault extends Error {
  override readonly name = 'SourceFault'
  readonly code: SourceFaultCode
  /** Whether trying again later may help. */
  readonly is_passing: boolean
  readonly retry_after_seconds: number | undefined
  constructor(code: SourceFaultCode, message: string, retry_after_seconds?: number) {
    super(message)
    this.code = code
    this.is_passing = code === 'unreachable' || code === 'rate_limited'
    this.retry_after_seconds = retry_after_seconds
  }
}

/** A connector that can be used: its manifest and, where it collects, how. */
export interface Connector {
  readonly manifest: ConnectorManifest
  load(): Promise<Collector>
}
