import type { ChildProcess } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import type { Readable } from 'node:stream'
import { checkMounts } from './check-mounts.ts'
import { type KeptOutput, keepOutput } from './kept-output.ts'
import type { LimitGroup } from './kernel/limit-group.ts'
import { type FirstProcess, firstProcess, namespaceEnded } from './namespace-end.ts'
import { type CommandOptions, type CommandOutcome, SandboxUnavailable } from './sandbox.ts'
import { CLOSE_GRACE_MS, COMPLAINT_BYTES, OUTPUT_STOP_FACTOR, STOP_GRACE_MS } from './sandbox-limits.ts'
import {
  type BwrapStart,
  closeGate,
  openGate,
  startBwrap,
  statusOf,
  streamsOf,
} from './start/bwrap-process.ts'
import { watchLimits } from './usage/watch-limits.ts'

type Ended = CommandOutcome['ended']

interface Run {
  readonly child: ChildProcess
  readonly options: CommandOptions
  readonly stdout: KeptOutput
  readonly stderr: KeptOutput
  status: string
  readonly start: BwrapStart
  /** The first process of the jail, as the host numbers it. */
  first: FirstProcess | undefined
  /** Why the command must not be started. */
  fault: unknown
  ended: Ended
  limit_hit: CommandOutcome['limit_hit']
  readonly timers: NodeJS.Timeout[]
}

/** What keeps a command to its limits beside the clock. */
export interface Limiting {
  /** A control group whose limits the kernel keeps; without it they are watched. */
  readonly group: LimitGroup | undefined
  /** Folders of the host that the command can write. */
  readonly writable: readonly string[]
}

/** Starts a prepared sandbox and waits for its end, whatever way it takes. */
export async function runJailed(
  start: BwrapStart,
  options: CommandOptions,
  { group, writable }: Limiting,
): Promise<CommandOutcome> {
  const began_ms = performance.now()
  if (options.signal?.aborted) return outcomeWithoutRun()
  const run = beginRun(start, options)
  const cancel = (): void => stop(run, 'cancelled')
  options.signal?.addEventListener('abort', cancel, { once: true })
  run.timers.push(setTimeout(() => stop(run, 'timeout'), options.limits.timeout_ms))
  const unwatch = watchLimits(
    () => run.first?.pid,
    options.limits,
    { group, writable },
    (limit) => {
      run.limit_hit ??= limit
      kill(run)
    },
  )
  try {
    const { code, signal } = await closed(run)
    await nothingLeft(run)
    run.limit_hit ??= group?.findHit()
    checkStarted(run, code)
    return { ...outcomeOf(run, code, signal), duration_ms: Math.round(performance.now() - began_ms) }
  } finally {
    unwatch()
    for (const timer of run.timers) clearTimeout(timer)
    options.signal?.removeEventListener('abort', cancel)
  }
}

function beginRun(start: BwrapStart, options: CommandOptions): Run {
  const { output_bytes, keep } = options.limits
  const child = startBwrap(start)
  const run: Run = {
    child,
    start,
    options,
    stdout: keepOutput(output_bytes, keep),
    stderr: keepOutput(output_bytes, keep),
    status: '',
    first: undefined,
    fault: undefined,
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
    run.options.onBytes?.(name, piece)
    const text = kept.add(piece)
    if (text !== '') run.options.onOutput?.(name, text)
    if (kept.total() > run.options.limits.output_bytes * OUTPUT_STOP_FACTOR) stop(run, 'output_limit')
  })
}

function noteStatus(run: Run, text: string): void {
  if (run.status.length < COMPLAINT_BYTES) run.status += text
  const pid = Number(/"child-pid": (\d+)/.exec(run.status)?.[1])
  if (run.first !== undefined || !pid) return
  run.first = firstProcess(pid)
  void letStart(run, pid)
}

// The command is started when all mounts stand where they are meant to, and not otherwise.
async function letStart(run: Run, pid: number): Promise<void> {
  try {
    if (await checkMounts(pid, run.start.mounts, () => isOver(run))) openGate(run.child)
  } catch (error) {
    run.fault = error
    kill(run)
  }
}

function isOver({ child, ended }: Run): boolean {
  return child.exitCode !== null || child.signalCode !== null || ended !== 'finished'
}

async function nothingLeft({ first }: Run): Promise<void> {
  if (first === undefined || (await namespaceEnded(first))) return
  throw new SandboxUnavailable('What the command left behind could not be ended.')
}

function stop(run: Run, why: Ended): void {
  if (run.ended !== 'finished') return
  run.ended = why
  if (why === 'output_limit') return kill(run)
  // The jail's first process leads the group of the command, and ignores what it has no handler for.
  if (run.first === undefined || !signalGroup(run.first.pid, 'SIGTERM')) return kill(run)
  run.timers.push(setTimeout(() => kill(run), STOP_GRACE_MS))
}

// With the first process of a pid namespace the kernel ends all others in it.
function kill(run: Run): void {
  if (run.child.exitCode !== null || run.child.signalCode !== null) return
  if (run.first !== undefined) signalGroup(run.first.pid, 'SIGKILL')
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
      closeGate(run.child)
      run.timers.push(setTimeout(() => destroyStreams(run.child), CLOSE_GRACE_MS))
    })
  })
}

function destroyStreams(child: ChildProcess): void {
  for (const stream of streamsOf(child)) stream?.destroy()
}

// bwrap tells an exit code only of a command that it came to start.
function checkStarted(run: Run, code: number | null): void {
  if (run.ended !== 'finished' || run.limit_hit !== undefined) return
  if (run.fault !== undefined) throw run.fault
  if (run.status.includes('"exit-code"')) return
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
