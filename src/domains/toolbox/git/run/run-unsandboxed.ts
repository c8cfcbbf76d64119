import { spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type CommandLimits,
  type CommandOutcome,
  SandboxUnavailable,
} from '../../../../platform/sandbox/sandbox.ts'
import type { Repository } from '../repository/repository.ts'

interface PlainRun {
  readonly argv: readonly string[]
  /** In the tree that git was lent. */
  readonly cwd: string
  readonly stdin: string | undefined
  readonly env: Readonly<Record<string, string>>
  readonly limits: CommandLimits
  readonly signal: AbortSignal
}

/**
 * Runs a git command that changes nothing where there is no sandbox and the owner allows it. The repository's
 * own configuration is in force then, so one with a key that is not known to be harmless is refused.
 */
export function runUnsandboxed(repository: Repository, run: PlainRun): Promise<CommandOutcome> {
  const { doubtful } = repository.settings
  if (doubtful !== undefined) {
    throw new SandboxUnavailable(
      `there is no sandbox, and without one git does not run where .git/config sets ${doubtful.slice(0, 80)}`,
    )
  }
  const [program = '', ...args] = run.argv
  return withLentIndex(repository.git_dir, (index) => {
    const child = spawn(program, args, {
      cwd: run.cwd,
      env: { ...run.env, GIT_INDEX_FILE: index },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    })
    // git may end before it has read all.
    child.stdin.on('error', () => undefined)
    child.stdin.end(run.stdin ?? '')
    return followChild(child, run)
  })
}

/**
 * Lends a copy of the index: `git diff` writes new times of unchanged files into it, whatever it is told of locks. A
 * file that was changed as the index was written is known by the time of the index, so the copy must not be newer.
 */
async function withLentIndex<Result>(
  git_dir: string,
  act: (path: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-index-'))
  try {
    const [own, lent] = [join(git_dir, 'index'), join(folder, 'index')]
    const stat = statSync(own, { throwIfNoEntry: false })
    // To copy something that is no file could take for ever; git itself has a limit of time.
    if (stat?.isFile() === false) return await act(own)
    if (stat !== undefined) {
      copyFileSync(own, lent)
      const seconds = Math.floor(stat.mtimeMs / 1_000)
      utimesSync(lent, seconds, seconds)
    }
    return await act(lent)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function followChild(child: ReturnType<typeof spawn>, { limits, signal }: PlainRun): Promise<CommandOutcome> {
  const kept = { stdout: keepStart(limits.output_bytes), stderr: keepStart(limits.output_bytes) }
  let ended: CommandOutcome['ended'] = 'finished'
  const stop = (why: CommandOutcome['ended']) => {
    ended = why
    if (child.pid !== undefined) killGroup(child.pid)
  }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.on('data', (chunk: Buffer) => {
      if (!kept[name].add(chunk)) stop('output_limit')
    })
  }
  const timer = setTimeout(stop, limits.timeout_ms, 'timeout')
  const cancel = () => stop('cancelled')
  signal.addEventListener('abort', cancel, { once: true })
  const started = performance.now()
  return new Promise<CommandOutcome>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (exit_code, killed) =>
      resolve({
        ended,
        exit_code,
        signal: killed,
        stdout: kept.stdout.text(),
        stderr: kept.stderr.text(),
        dropped_bytes: kept.stdout.dropped() + kept.stderr.dropped(),
        duration_ms: Math.round(performance.now() - started),
      }),
    )
  }).finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
  })
}

function keepStart(max_bytes: number) {
  const chunks: Buffer[] = []
  let size = 0
  return {
    /** Answers false once there is more than is kept. */
    add(chunk: Buffer): boolean {
      if (size < max_bytes) chunks.push(chunk.subarray(0, max_bytes - size))
      size += chunk.length
      return size <= max_bytes
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
    dropped: () => Math.max(0, size - max_bytes),
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}
