import { underWay } from '../../basics/under-way.ts'
import { type Deadline, onDeadline, type Progress } from '../deadline.ts'
import { type Notice, renderNotice, renderRequest } from '../mcp/json-rpc.ts'
import { type OnProgress, withToken } from '../mcp/progress.ts'
import { UpstreamFailure, type UpstreamReason } from '../upstream-failure.ts'
import { readIncoming, type Waiting } from './incoming.ts'

const MAX_IN_FLIGHT = 1024
const MAX_BACKLOG_BYTES = 16_777_216

export interface LinkEnd {
  write(text: string): void
  /** Bytes that the other side has not taken yet. */
  backlog_bytes(): number
  onNotice(notice: Notice): void
  /** The other side is of no more use. */
  onBroken(reason: UpstreamReason): void
  /** So long it may say nothing after a call has run out of time. */
  readonly silence_ms: number
}

export interface RpcRequest {
  readonly method: string
  readonly params: object
  readonly limit_bytes: number
  readonly deadline: Deadline
  readonly progress: Progress
  readonly onProgress?: OnProgress | undefined
}

/** JSON-RPC over lines: many requests at once, each with its own limits. */
export interface RpcLink {
  request(request: RpcRequest): Promise<unknown>
  notify(method: string, params?: object): void
  /** Asks for something that has no end: what is heard of it are notices. */
  subscribe(method: string, params: object): void
  receive(chunk: Buffer): void
  /** Ends everything in flight. */
  fail(reason: UpstreamReason): void
}

export function rpcLink(end: LinkEnd): RpcLink {
  const waiting = underWay<Waiting>()
  const outbox = joinWrites(end)
  const isFull = () => end.backlog_bytes() > MAX_BACKLOG_BYTES
  let next_id = 1
  const silence = watchSilence({
    ask: () => !isFull() && outbox(renderRequest(next_id++, 'ping', {})),
    // Whoever still waits may be why it is silent: it is not given up before they are.
    patience_ms: () => Math.max(end.silence_ms, ...waiting.values().map((one) => one.remaining_ms())),
    onSilent: () => end.onBroken('timeout'),
  })
  return {
    receive: readIncoming({
      waiting,
      onNotice: end.onNotice,
      onHeard: silence.end,
      onBroken: end.onBroken,
      reply: (text) => !isFull() && outbox(text),
    }),
    notify: (method, params) => outbox(renderNotice(method, params)),
    subscribe: (method, params) => outbox(renderRequest(next_id++, method, params)),
    fail(reason) {
      silence.end()
      for (const asker of waiting.values()) asker.settle({ reason })
    },
    async request({ method, params, limit_bytes, deadline, progress, onProgress }) {
      if (deadline.signal?.aborted) throw new UpstreamFailure('cancelled', progress.sent)
      if (waiting.size >= MAX_IN_FLIGHT || isFull()) throw new UpstreamFailure('not_available', progress.sent)
      const id = next_id++
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const settle: Waiting['settle'] = (outcome) => {
        waiting.delete(id)
        stop()
        if ('result' in outcome) resolve(outcome.result)
        else reject(new UpstreamFailure(outcome.reason, progress.sent))
      }
      const stop = onDeadline(deadline, (reason) => {
        if (progress.sent) outbox(renderNotice('notifications/cancelled', { requestId: id, reason }))
        settle({ reason })
        if (reason === 'timeout') silence.begin()
      })
      waiting.set(id, { limit_bytes, settle, onProgress, remaining_ms: deadline.remaining_ms })
      outbox(renderRequest(id, method, onProgress ? withToken(params, id) : params), () => {
        const isWaiting = waiting.get(id) !== undefined
        progress.sent ||= isWaiting
        return isWaiting
      })
      return promise
    },
  }
}

/** Collects what is written within one tick of the event loop into one write. */
function joinWrites(end: LinkEnd): (text: string, isStillWanted?: () => boolean) => void {
  let queue: { text: string; isStillWanted: (() => boolean) | undefined }[] = []
  const flush = () => {
    const due = queue
    queue = []
    let joined = ''
    for (const { text, isStillWanted } of due) if (isStillWanted?.() ?? true) joined += `${text}\n`
    if (joined !== '') end.write(joined)
  }
  return (text, isStillWanted) => {
    if (queue.push({ text, isStillWanted }) === 1) process.nextTick(flush)
  }
}

interface Watched {
  /** Asks for a sign of life. */
  ask(): void
  patience_ms(): number
  onSilent(): void
}

interface SilenceWatch {
  /** A call has run out of time: is it that call alone, or does the child answer nothing any more? */
  begin(): void
  /** Something was heard, or nobody listens any more. */
  end(): void
}

/** Tells a child that hangs from one that is slow: a living one says something when it is asked. */
function watchSilence({ ask, patience_ms, onSilent }: Watched): SilenceWatch {
  let timer: NodeJS.Timeout | undefined
  return {
    begin() {
      if (timer) return
      timer = setTimeout(onSilent, patience_ms())
      timer.unref()
      ask()
    },
    end() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
