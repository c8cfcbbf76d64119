import type { ExecutionErrorCode } from '../executions/execution-record.ts'

/** How far an engine says it has come. */
export interface EngineProgress {
  share: number
  note: string | null
}

/** How a call of an engine ended, before anybody has looked at its answer. */
export type EngineEnd =
  /** Byte for byte: what is no text must not become one on the way. */
  | { readonly kind: 'answered'; readonly document: Uint8Array }
  /** It answered in a form in which its words cannot be told. */
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'failed'; readonly code: ExecutionErrorCode }
  | { readonly kind: 'cancelled' }

/** What an engine is called with. The text is the frozen input and all there is to say to it. */
export interface EngineCall {
  readonly input_text: string
  readonly signal: AbortSignal
  onProgress(progress: EngineProgress): void
}

export function failedWith(code: ExecutionErrorCode): EngineEnd {
  return { kind: 'failed', code }
}
