import type { CollectedRecord, SourceFaultCode } from './connector.ts'

/** What a thread is asked to read. */
export type ParseJob =
  | { readonly kind: 'feed'; readonly text: string; readonly url: string }
  | { readonly kind: 'calendar'; readonly text: string }
  | { readonly kind: 'mail'; readonly messages: readonly RawMessage[] }

/** One message as the server sent it. */
export interface RawMessage {
  readonly key: string
  readonly source: Uint8Array
  readonly size_bytes: number
  readonly received_at: string | null
}

/** What was read, and what the source calls itself. */
export interface ParseResult {
  readonly title?: string
  readonly records: readonly CollectedRecord[]
}

/** What a thread answers. */
export type ParseAnswer =
  | ParseResult
  | { readonly fault: { readonly code: SourceFaultCode; readonly message: string } }
