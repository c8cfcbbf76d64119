import { performance } from 'node:perf_hooks'
import type { Readable } from 'node:stream'
import { type BwrapStart, startBwrap, statusOf, streamsOf } from './bwrap-process.ts'
import type { JailProcess } from './jail-process.ts'
import { type KeptOutput, keepOutput } from './kept-output.ts'
import { type CommandOptions, type CommandOutcome, SandboxUnavailable } from './sandbox.ts'
import { CLOSE_GRACE_MS, COMPLAINT_BYTES, OUTPUT_STOP_FACTOR, STOP_GRACE_MS } from './sandbox-limits.ts'
import { watchUsage } from './watch-usage.ts'

type Ended = CommandOutcome['ended']

interface Run {
  readonly child: JailProcess
  readonly options: CommandOptions
  readonly stdout: KeptOutput
  readonly stderr: KeptOutput
  status: string
  /** The first process of the jail, as the host numbers it. */
  inner_pid: number | undefined
  ended: Ended
  limit_hit: CommandOutcome['limit_hit']
  readonly timers: NodeJS.Timeout[]
}

/** Starts a prepared sandbox and waits for its end, whatever way it takes. */
export async function runJailed(start: BwrapStart, options: CommandOptions): Promise<CommandOutcome> {
  const began_ms = performance.now()
  if (options.signal?.aborted) return outcomeWithoutRun()
  const run = beginRun(startBwrap(start), options)
  const cancel = (): void => stop(run, 'cancelled')
  options.signal?.addEventListener('abort', cancel, { once: true })
  run.timers.push(setTimeout(() => stop(run, 'timeout'), options.limits.timeout_ms))
  const unwatch = watchUsage(
    () => run.inner_pid,
    options.limits,
    (limit) => {
      run.limit_hit ??= limit
      kill(run)
    },
  )
  try {
    const { code, signal } = await closed(run)
    checkStarted(run, code)
    return { ...outcomeOf(run, code, signal), duration_ms: Math.round(performance.now() - began_ms) }
  } finally {
    unwatch()
    for (const timer of run.timers) clearTimeout(timer)
    options.signal?.removeEventListener('abort', cancel)
  }
}

function beginRun(child: JailProcess, options: CommandOptions): Run {
  const { output_bytes, keep } = options.limits
  const run: Run = {
    child,
    options,
    stdout: keepOutput(output_bytes, keep),
    stderr: keepOutput(output_bytes, keep),
    status: '',
    inner_pid: undefined,
    ended: 'finished',
    limit_hit: undefined,
    timers: [],
  }
  listen(run, 'stdout', 1)
  listen(run, 'stderr', 2)
  statusOf(child)?.on('data', (piece: Buffer) => noteStatus(run, piece.toString('latin1')))
  return run
}

function listen(run: Run, name: 'stdout' | 'stderr', fd: number): void {
  const kept = run[name]
  const stream = streamsOf(run.child)[fd] as Readable | null | undefined
  stream?.on('data', (piece: Buffer) => {
    const text = kept.add(piece)
    if (text !== '') run.options.onOutput?.(name, text)
    if (kept.total() > run.options.limits.output_bytes * OUTPUT_STOP_FACTOR) stop(run, 'output_limit')
  })
}

function noteStatus(run: Run, text: string): void {
  if (run.status.length < COMPLAINT_BYTES) run.status += text
  run.inner_pid ??= Number(/"child-pid": (\d+)/.exec(run.status)?.[1] ?? Number.NaN) || undefined
}

function stop(run: Run, why: Ended): void {
  if (run.ended !== 'finished') return
  run.ended = why
  if (why === 'output_limit') return kill(run)
  // The jail's first process leads the group of the command, and ignores what it has no handler for.
  if (run.inner_pid === undefined || !signalGroup(run.inner_pid, 'SIGTERM')) return kill(run)
  run.timers.push(setTimeout(() => kill(run), STOP_GRACE_MS))
}

// With the first process of a pid namespace the kernel ends all others in it.
function kill(run: Run): void {
  if (run.child.exitCode !== null || run.child.signalCode !== null) return
  if (run.inner_pid !== undefined) signalGroup(run.inner_pid, 'SIGKILL')
  if (run.child.pid !== undefined) signalGroup(run.child.pid, 'SIGKILL')
}

function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-pid, signal)
  } catch {
    return false // Gone already.
  }
}

function closed(run: Run): Promise<{ code: number | null; signal: string | null }> {
  return new Promise((resolve, reject) => {
    run.child.once('error', (error) =>
      reject(new SandboxUnavailable(`The sandbox could not be started: ${error.message}`)),
    )
    run.child.once('close', (code, signal) => resolve({ code, signal }))
    run.child.once('exit', () => {
      run.timers.push(setTimeout(() => destroyStreams(run.child), CLOSE_GRACE_MS))
    })
  })
}

function destroyStreams(child: JailProcess): void {
  for (const stream of streamsOf(child)) stream?.destroy()
}

// bwrap tells an exit code only of a command that it came to start.
function checkStarted(run: Run, code: number | null): void {
  if (run.ended !== 'finished' || run.limit_hit !== undefined || run.status.includes('"exit-code"')) return
  const complaint = run.stderr.text().trim().slice(0, COMPLAINT_BYTES)
  throw new SandboxUnavailable(`The sandbox could not be set up (${code ?? 'killed'}): ${complaint}`)
}

function outcomeOf(
  run: Run,
  code: number | null,
  signal: string | null,
): Omit<CommandOutcome, 'duration_ms'> {
  const was_stopped = run.ended !== 'finished'
  return {
    ended: run.ended,
    exit_code: was_stopped || run.limit_hit !== undefined ? null : code,
    signal,
    stdout: run.stdout.text(),
    stderr: run.stderr.text(),
    dropped_bytes: run.stdout.dropped() + run.stderr.dropped(),
    ...(run.limit_hit === undefined ? {} : { limit_hit: run.limit_hit }),
  }
}

function outcomeWithoutRun(): CommandOutcome {
  return {
    ended: 'cancelled',
    exit_code: null,
    signal: null,
    stdout: '',
    stderr: '',
    dropped_bytes: 0,
    duration_ms: 0,
  }
}
