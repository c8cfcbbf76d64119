/** What the hub's stream tells of a record: a kind and ids, never what was in it. */
export interface Change {
  seq: number
  kind: string
  id: string | null
  outcome: 'allowed' | 'denied' | 'failed'
  vault: string
}

export type LiveState = { live: true } | { live: false; since: number }

interface Listener {
  changes(changes: readonly Change[]): void
  /** Changes may have been missed. */
  missed(): void
  state(state: LiveState): void
}

type Message = { changes: readonly Change[] } | { missed: true } | { state: LiveState } | { asks: 'state' }

const CHANNEL = 'knowtation-live'
const LOCK = 'knowtation-live-stream'
const STREAM = '/v1/owner/stream'
/** Longer than the hub's heartbeat by some: a connection that says nothing for so long is gone. */
const SILENCE_MS = 40_000
const WAITS_MS = [1_000, 2_000, 5_000, 10_000, 20_000]

/**
 * Follows the hub's one stream. All tabs share the connection of whichever holds the lock; when that one is closed, the
 * next takes over where it was.
 */
export function followHub(listener: Listener): () => void {
  const channel = new BroadcastChannel(CHANNEL)
  const ended = new AbortController()
  let last: LiveState = { live: false, since: Date.now() }
  let seq: number | undefined
  let leads = false
  const take = (message: Message) => {
    if ('changes' in message) {
      seq = message.changes.at(-1)?.seq ?? seq
      listener.changes(message.changes)
    } else if ('missed' in message) listener.missed()
    else if ('state' in message) {
      last = message.state
      listener.state(message.state)
    } else if (leads) channel.postMessage({ state: last } satisfies Message)
  }
  const tell = (message: Message) => {
    channel.postMessage(message)
    take(message)
  }
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => take(data))
  channel.postMessage({ asks: 'state' } satisfies Message)
  void navigator.locks
    .request(LOCK, { signal: ended.signal }, () => {
      leads = true
      return keepOpen(ended.signal, tell, () => seq)
    })
    .catch(() => {})
  return () => {
    ended.abort()
    channel.close()
  }
}

/** Keeps one connection for as long as the tab is there, and comes back ever more slowly where it fails. */
async function keepOpen(
  ended: AbortSignal,
  tell: (message: Message) => void,
  place: () => number | undefined,
): Promise<void> {
  let failures = 0
  let lost: number | undefined
  while (!ended.aborted) {
    const isOpened = await listenOnce(ended, place(), {
      opened() {
        failures = 0
        lost = undefined
        tell({ state: { live: true } })
      },
      tell,
    })
    if (ended.aborted) return
    if (isOpened) failures = 0
    lost ??= Date.now()
    tell({ state: { live: false, since: lost } })
    const wait_ms = WAITS_MS[Math.min(failures++, WAITS_MS.length - 1)] as number
    await rest(wait_ms * (0.75 + Math.random() / 2), ended)
  }
}

function listenOnce(
  ended: AbortSignal,
  after: number | undefined,
  to: { opened(): void; tell(message: Message): void },
): Promise<boolean> {
  return new Promise((resolve) => {
    const source = new EventSource(after === undefined ? STREAM : `${STREAM}?after=${after}`)
    let isOpen = false
    let silence: ReturnType<typeof setTimeout> | undefined
    const close = () => {
      clearTimeout(silence)
      source.close()
      ended.removeEventListener('abort', close)
      resolve(isOpen)
    }
    const heard = () => {
      clearTimeout(silence)
      silence = setTimeout(close, SILENCE_MS)
    }
    source.addEventListener('open', () => {
      isOpen = true
      heard()
      to.opened()
    })
    source.addEventListener('error', close)
    // The hub names its place where it cannot tell all that happened: what is shown has to be read anew.
    source.addEventListener('here', (event) => {
      heard()
      const { seq } = JSON.parse((event as MessageEvent<string>).data) as { seq: number }
      if (after !== undefined) to.tell({ missed: true })
      to.tell({ changes: [{ seq, kind: 'here', id: null, outcome: 'allowed', vault: '' }] })
    })
    source.addEventListener('changes', (event) => {
      heard()
      to.tell({ changes: JSON.parse((event as MessageEvent<string>).data) as Change[] })
    })
    source.addEventListener('beat', heard)
    ended.addEventListener('abort', close, { once: true })
  })
}

function rest(ms: number, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    ended.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}
