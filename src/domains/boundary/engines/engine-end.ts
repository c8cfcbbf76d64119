import type { ExecutionErrorCode } from '../executions/execution-record.ts'

/** How far an engine says it has come. */
export interface EngineProgress {
  share: number
  note: string | null
}

/** How a call of an engine ended, before anybody has looked at its answer. */
export type EngineEnd =
  | { readonly kind: 'answered'; readonly text: string }
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
