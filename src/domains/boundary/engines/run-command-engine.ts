import { statSync } from 'node:fs'
import { delimiter, isAbsolute } from 'node:path'
import { findProgram, isProgram } from '../../../platform/basics/find-program.ts'
import type { Log } from '../../../platform/basics/plain-log.ts'
import type { CommandEngine } from '../../../platform/policy/engine-policy.ts'
import {
  type CommandOutcome,
  type Sandbox,
  type SandboxMount,
  type SandboxProfile,
  SandboxUnavailable,
} from '../../../platform/sandbox/sandbox.ts'
import { TreeUnsound } from '../../../platform/trees/folder-chain.ts'
import { type HeldTree, TreeBusy, TreeGivenUp } from '../../../platform/trees/hold-tree.ts'
import { isOfSystem, ownerPlace } from '../../../platform/trees/owner-place.ts'
import { type EngineCall, type EngineEnd, failedWith } from './engine-end.ts'
import { withProjectFolders } from './hold-folders.ts'
import { progressReader } from './progress-lines.ts'

const PROCESS_LIMIT = 64
const PATH_FOLDERS_MAX = 256
/** The sandbox's own empty folder; it goes with the engine. */
const SCRATCH = '/tmp'

/** What a command needs to find itself at home, and nothing of the hub's surroundings. */
const ENVIRONMENT = { PATH: '/usr/bin:/bin', HOME: SCRATCH, TMPDIR: SCRATCH, LANG: 'C.UTF-8' }

export interface CommandSurroundings {
  readonly sandbox: Sandbox
  readonly env: NodeJS.ProcessEnv
  readonly log: Log
  /** The hub's home: an engine never sees it, even where its policy would show a folder around it. */
  readonly home_folder: string
}

/** Runs a command engine once: the input on stdin, one JSON document on stdout, all inside the sandbox. */
export async function runCommandEngine(
  engine: CommandEngine,
  { sandbox, env, log, home_folder }: CommandSurroundings,
  call: EngineCall,
): Promise<EngineEnd> {
  const program = programOf(engine.command[0] as string, env)
  if (program === undefined) return failedWith('ENGINE_UNAVAILABLE')
  const argv = [program, ...engine.command.slice(1)]
  const readProgress = progressReader(call.onProgress)
  const answer: Buffer[] = []
  try {
    const outcome = await withProjectFolders(engine.read, call.signal, (trees) =>
      sandbox.run(profileOf(argv, engine.read, home_folder, trees), argv, {
        limits: {
          timeout_ms: engine.timeout_seconds * 1_000,
          output_bytes: engine.max_output_bytes,
          memory_bytes: engine.memory_mb * 1_048_576,
          processes: PROCESS_LIMIT,
        },
        signal: call.signal,
        stdin: call.input_text,
        onBytes: (stream, piece) => void (stream === 'stdout' && answer.push(piece)),
        onOutput: (stream, text) => void (stream === 'stderr' && readProgress(text)),
      }),
    )
    return endOf(outcome, answer)
  } catch (error) {
    if (error instanceof TreeGivenUp) return { kind: 'cancelled' }
    if (!isUnavailable(error)) throw error
    const { name: fault, message: why } = error
    const remedy = error instanceof SandboxUnavailable ? error.remedy : undefined
    log.warn({ fault, why, remedy }, 'an engine could not be started in the sandbox')
    return failedWith('ENGINE_UNAVAILABLE')
  }
}

/** The whole path of an engine's program: as given, or found on the hub's own PATH. */
function programOf(name: string, env: NodeJS.ProcessEnv): string | undefined {
  if (isAbsolute(name)) return isProgram(name) ? name : undefined
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  return findProgram(folders.slice(0, PATH_FOLDERS_MAX), name)
}

function isUnavailable(error: unknown): error is Error {
  return error instanceof SandboxUnavailable || error instanceof TreeBusy || error instanceof TreeUnsound
}

function profileOf(
  argv: readonly string[],
  read: readonly string[],
  home_folder: string,
  trees: readonly HeldTree[],
): SandboxProfile {
  const files = [...argv.filter(isNamedFile), ...read].filter((path) => !isOfSystem(path))
  return {
    mounts: files.map((path): SandboxMount => {
      const folder = trees.find((tree) => tree.path === path)
      return { path, access: 'read', real_path: ownerPlace(path), ...(folder && { folder }) }
    }),
    masked: [home_folder],
    overlays: [],
    read_only: [],
    network: false,
    cwd: SCRATCH,
    env: ENVIRONMENT,
  }
}

/** A folder among the arguments stays closed: what is in it was not named. */
function isNamedFile(argument: string): boolean {
  return isAbsolute(argument) && (statSync(argument, { throwIfNoEntry: false })?.isFile() ?? false)
}

function endOf(outcome: CommandOutcome, answer: readonly Buffer[]): EngineEnd {
  if (outcome.ended === 'cancelled') return { kind: 'cancelled' }
  if (outcome.ended === 'timeout') return failedWith('ENGINE_TIMEOUT')
  const flooded = outcome.ended === 'output_limit' || outcome.limit_hit !== undefined
  if (flooded || outcome.dropped_bytes > 0) return failedWith('ENGINE_FLOODED')
  if (outcome.exit_code !== 0) return failedWith('ENGINE_CRASHED')
  return { kind: 'answered', document: Buffer.concat(answer) }
}
