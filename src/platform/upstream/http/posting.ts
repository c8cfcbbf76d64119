import type { Bounds } from '../deadline.ts'
import type { Notice } from '../mcp/json-rpc.ts'
import type { Manner } from '../mcp/mcp-client.ts'
import type { WebReply } from './exchange.ts'

export interface RequestBounds extends Bounds {
  readonly limit_bytes: number
}

export interface Post extends RequestBounds {
  readonly body: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly refusal_bytes?: number
  watch?: (text: string) => boolean
}
export type SendPost = (post: Post) => Promise<WebReply>

/** What goes with each request of a session, and who hears what the server says unasked. */
export interface Side {
  readonly headers: Readonly<Record<string, string>>
  readonly manner: Manner
  onNotice(notice: Notice): void
}
