import type { UnderWay } from '../../basics/under-way.ts'
import { findMessage, type Notice, type RpcMessage, renderReply } from '../mcp/json-rpc.ts'
import { type OnProgress, tellProgress, tokenOf } from '../mcp/progress.ts'
import type { UpstreamReason } from '../upstream-failure.ts'
import { splitLines } from './line-splitter.ts'

/** The JSON-RPC frame around an answer does not count against the answer's own limit. */
const FRAME_BYTES = 1024
/** Bytes that answer nothing, since the last answer: beyond it the child only makes noise. */
const MAX_NOISE_BYTES = 16_777_216
/** A short line costs more than its bytes. */
const MIN_LINE_BYTES = 512

export type Outcome = { result: unknown } | { reason: UpstreamReason }

/** A request that has no answer yet. */
export interface Waiting {
  readonly limit_bytes: number
  remaining_ms(): number
  readonly onProgress: OnProgress | undefined
  settle(outcome: Outcome): void
}

export interface Incoming {
  readonly waiting: Pick<UnderWay<Waiting>, 'get' | 'values'>
  onNotice(notice: Notice): void
  /** Something came that is a message, whatever it says. */
  onHeard(): void
  /** The other side is of no more use. */
  onBroken(reason: UpstreamReason): void
  reply(text: string): void
}

/** Reads what a child writes: answers go to those who wait, the rest is declined or dropped, and counted. */
export function readIncoming(incoming: Incoming): (chunk: Buffer) => void {
  const { waiting, onNotice, onHeard, reply } = incoming
  let noise_bytes = 0
  let is_broken = false
  const giveUp = () => {
    if (is_broken) return
    is_broken = true
    incoming.onBroken('too_large')
  }
  const addNoise = (bytes: number) => {
    noise_bytes += Math.max(bytes, MIN_LINE_BYTES)
    if (noise_bytes > MAX_NOISE_BYTES) giveUp()
  }
  const settle = (id: number, bytes: number, outcomeFor: (asker: Waiting) => Outcome) => {
    const asker = waiting.get(id)
    if (!asker) return addNoise(bytes)
    noise_bytes = 0
    asker.settle(outcomeFor(asker))
  }
  const hearNotice = (notice: Notice) => {
    const id = tokenOf(notice)
    const tell = id === undefined ? undefined : waiting.get(id)?.onProgress
    if (id === undefined || !tell || !tellProgress(notice, id, tell)) onNotice(notice)
  }
  const take = (message: RpcMessage | undefined, bytes: number) => {
    if (message) onHeard()
    if (message?.kind === 'answer' || message?.kind === 'fault') {
      return settle(message.id, bytes, (asker) => outcomeOf(message, bytes, asker))
    }
    addNoise(bytes)
    if (message?.kind === 'notice') hearNotice(message)
    if (message?.kind === 'request') reply(renderReply(message))
  }
  const split = splitLines({
    line: (text, bytes) => take(findMessage(text), bytes),
    oversize(head, tail, bytes) {
      const id = findIdAtEdge(head, tail)
      if (id !== undefined) onHeard()
      if (id === undefined) giveUp()
      else settle(id, bytes, () => ({ reason: 'too_large' }))
    },
    discarded: addNoise,
    limit_bytes: () => Math.max(0, ...waiting.values().map((one) => one.limit_bytes)) + FRAME_BYTES,
  })
  // Who floods until it is killed is not listened to any longer.
  return (chunk) => void (is_broken || split(chunk))
}

function outcomeOf(
  message: RpcMessage & { kind: 'answer' | 'fault' },
  bytes: number,
  asker: Waiting,
): Outcome {
  if (message.kind === 'fault') return { reason: 'protocol' }
  if (bytes > asker.limit_bytes + FRAME_BYTES) return { reason: 'too_large' }
  return { result: message.result }
}

/** Servers write the id first or last: enough to tell whose answer was too large without reading it. */
function findIdAtEdge(head: string, tail: string): number | undefined {
  const found =
    /"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail) ??
    /^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*(\d{1,15})\s*,/.exec(head)
  return found ? Number(found[1]) : undefined
}
