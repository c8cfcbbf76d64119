import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { CommandOutcome } from '../../../platform/sandbox/sandbox.ts'

/** A command that was asked to end is killed after this time. */
const TERM_GRACE_MS = 5_000
/** What a command leaves behind may hold its pipes, or may not be ours to kill: it is not waited for longer. */
const CLOSE_GRACE_MS = 1_000
/** Kept of each stream: its end, where the reason of a failure stands. */
const KEPT_BYTES = 65_536
/** A command that writes more than this is stopped. */
const OUTPUT_LIMIT_BYTES = 64 * 1_048_576

export interface GroupOptions {
  readonly cwd: string
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly timeout_ms: number
  readonly signal: AbortSignal
}

type Child = ChildProcessByStdio<null, Readable, Readable>

/** Runs a command in a process group of its own and waits for it; too late, too loud or unwanted, it is ended. */
export function runGroup(argv: readonly string[], options: GroupOptions): Promise<CommandOutcome> {
  const started = performance.now()
  const [program = '', ...words] = argv
  const { cwd, env, signal } = options
  const child = spawn(program, words, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  return new Promise((resolve, reject) => {
    let ended: CommandOutcome['ended'] = 'finished'
    const timers: NodeJS.Timeout[] = []
    const stop = (reason: CommandOutcome['ended']) => {
      if (ended !== 'finished') return
      ended = reason
      signalGroup(child, 'SIGTERM')
      timers.push(setTimeout(() => signalGroup(child, 'SIGKILL'), TERM_GRACE_MS))
      timers.push(setTimeout(settle, TERM_GRACE_MS + CLOSE_GRACE_MS))
    }
    const tooLoud = (seen: number) => seen > OUTPUT_LIMIT_BYTES && stop('output_limit')
    const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => tailOf(stream, KEPT_BYTES, tooLoud))
    const cancel = () => stop('cancelled')
    timers.push(setTimeout(() => stop('timeout'), options.timeout_ms))
    function settle(): void {
      timers.forEach((timer) => clearTimeout(timer))
      signal.removeEventListener('abort', cancel)
      for (const stream of [child.stdout, child.stderr]) stream.destroy()
      child.unref()
      resolve({
        ended,
        exit_code: child.exitCode,
        signal: child.signalCode,
        stdout: stdout?.text() ?? '',
        stderr: stderr?.text() ?? '',
        dropped_bytes: (stdout?.dropped() ?? 0) + (stderr?.dropped() ?? 0),
        duration_ms: Math.round(performance.now() - started),
      })
    }
    signal.addEventListener('abort', cancel, { once: true })
    if (signal.aborted) cancel()
    child.on('error', (error) => {
      if (child.pid !== undefined) return
      timers.forEach((timer) => clearTimeout(timer))
      reject(error)
    })
    child.on('exit', () => {
      signalGroup(child, 'SIGKILL')
      timers.push(setTimeout(settle, CLOSE_GRACE_MS))
    })
    child.on('close', settle)
  })
}

function signalGroup({ pid }: Child, name: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, name)
  } catch {
    // Nobody of the group is left, or it runs as someone we may not signal.
  }
}

export interface OutputTail {
  text(): string
  /** Bytes that were written before what is kept. */
  dropped(): number
}

/** No secret is longer; a word without an end is not worth the whole stream. */
const HALF_WORD = /^\S{0,4096}/

/** Reads a stream to its end and keeps only the last bytes, from a whole word on: half a secret is not known for one. */
function tailOf(stream: Readable, kept_bytes: number, onSeen: (bytes: number) => void): OutputTail {
  const chunks: Buffer[] = []
  let held = 0
  let seen = 0
  stream.on('error', () => {})
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    held += chunk.length
    seen += chunk.length
    while (held - (chunks[0]?.length ?? 0) >= kept_bytes) held -= chunks.shift()?.length ?? 0
    onSeen(seen)
  })
  const kept = () => Buffer.concat(chunks).subarray(-kept_bytes)
  const dropped = () => seen - kept().length
  return {
    text: () =>
      kept()
        .toString('utf8')
        .replace(dropped() > 0 ? HALF_WORD : '', ''),
    dropped,
  }
}
