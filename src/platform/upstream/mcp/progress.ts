import type { Notice } from './json-rpc.ts'

const MAX_MESSAGE_CHARS = 1_000

/** How far a tool says it has come, in its own measure. */
export interface ProgressNote {
  readonly progress: number
  readonly total?: number
  /** The tool's own words. */
  readonly message?: string
}
export type OnProgress = (note: ProgressNote) => void

/** A request's parameters with the wish to hear how far it has come. */
export function withToken(params: object, progressToken: number): object {
  const { _meta } = params as { _meta?: object }
  return { ...params, _meta: { ..._meta, progressToken } }
}

/** Tells a note that is about the request of this id; answers whether it is one. */
export function tellProgress({ method, params }: Notice, id: number, tell: OnProgress): boolean {
  const note = tokenOf({ method, params }) === id ? findNote(params) : undefined
  if (note) tell(note)
  return note !== undefined
}

/** Which request a note of progress is about. */
export function tokenOf({ method, params }: Pick<Notice, 'method' | 'params'>): number | undefined {
  const { progressToken } = Object(params) as { progressToken?: unknown }
  return method === 'notifications/progress' && typeof progressToken === 'number' ? progressToken : undefined
}

function findNote(params: unknown): ProgressNote | undefined {
  const { progress, total, message } = Object(params) as Record<string, unknown>
  if (typeof progress !== 'number' || !Number.isFinite(progress)) return undefined
  return {
    progress,
    ...(typeof total === 'number' && Number.isFinite(total) && { total }),
    ...(typeof message === 'string' && { message: message.slice(0, MAX_MESSAGE_CHARS) }),
  }
}
