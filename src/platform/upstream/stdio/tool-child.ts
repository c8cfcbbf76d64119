import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { UpstreamFailure } from '../upstream-failure.ts'
import type { ChildGuard } from './child-guard.ts'

/** A child that is gone may have left others that hold its pipes: they are not waited for longer than this. */
const PIPE_GRACE_MS = 500

/** What is started: children that agree in all of it are one. */
export interface ChildSpec {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
  /** The server that it is, as `serverId` names it. */
  readonly server: string
}

export interface ToolChild {
  readonly stdin: Writable
  readonly stdout: Readable
  /** Settles once, when the child is gone and all it wrote was read. */
  readonly gone: Promise<void>
  /** False when there was nothing to start. */
  readonly started: boolean
  /** Asks it to end, then makes it. Settles when its whole process group is dead. */
  end(grace_ms: number): Promise<void>
}

/** Starts a tool server in its own process group, with a clean environment and an empty home. */
export function startChild(spec: ChildSpec, hub_env: NodeJS.ProcessEnv, guard: ChildGuard): ToolChild {
  const home = guard.makeHome()
  const child = spawnClean(spec, hub_env, home)
  const { pid } = child
  if (pid !== undefined) guard.add(pid)
  // What a tool complains of may hold anything: it is read so that the child never blocks, and dropped.
  child.stderr.resume()
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.on('error', () => {})
  const gone = whenGone(child).then(() => {
    if (pid !== undefined) guard.drop(pid)
    removeFolder(home)
  })
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    gone,
    started: pid !== undefined,
    async end(grace_ms) {
      child.stdin.end()
      signalGroup(pid, 'SIGTERM')
      const kill = setTimeout(() => signalGroup(pid, 'SIGKILL'), grace_ms)
      await gone
      clearTimeout(kill)
    },
  }
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

function spawnClean(spec: ChildSpec, hub_env: NodeJS.ProcessEnv, home: string): Child {
  const [program = '', ...words] = spec.command
  const base = { PATH: hub_env.PATH ?? '/usr/bin:/bin', HOME: home, LANG: hub_env.LANG ?? 'C.UTF-8' }
  try {
    return spawn(program, words, {
      cwd: spec.cwd,
      env: { ...base, ...spec.env },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
  } catch {
    removeFolder(home)
    throw new UpstreamFailure('unreachable', false)
  }
}

function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // A process that left the group may still write there; the system clears its temporary folder.
  }
}

function whenGone(child: Child): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined
    const finish = () => {
      clearTimeout(timer)
      for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy()
      resolve()
    }
    child.on('error', () => child.pid === undefined && finish())
    child.on('exit', () => {
      // Whatever it had started belongs to it and goes with it.
      signalGroup(child.pid, 'SIGKILL')
      timer = setTimeout(finish, PIPE_GRACE_MS)
    })
    child.on('close', finish)
  })
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // Nobody of the group is left.
  }
}
