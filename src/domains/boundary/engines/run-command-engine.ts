import { statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { Log } from '../../../platform/basics/plain-log.ts'
import type { CommandEngine } from '../../../platform/policy/engine-policy.ts'
import {
  type CommandOutcome,
  type Sandbox,
  type SandboxMount,
  type SandboxProfile,
  SandboxUnavailable,
} from '../../../platform/sandbox/sandbox.ts'
import { type EngineCall, type EngineEnd, failedWith } from './engine-end.ts'
import { findProgram } from './find-program.ts'
import { progressReader } from './progress-lines.ts'

const PROCESS_LIMIT = 64
/** The sandbox's own empty folder; it goes with the engine. */
const SCRATCH = '/tmp'

/** Folders of the system that every sandbox shows anyway, without anything of anybody's in them. */
const SYSTEM = /^\/(usr|bin|sbin|lib|lib32|lib64|libx32|nix\/store)\//

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
  const program = findProgram(engine.command[0] as string, env)
  if (program === undefined) return failedWith('ENGINE_UNAVAILABLE')
  const argv = [program, ...engine.command.slice(1)]
  const readProgress = progressReader(call.onProgress)
  try {
    const outcome = await sandbox.run(profileOf(argv, engine.read, home_folder), argv, {
      limits: {
        timeout_ms: engine.timeout_seconds * 1_000,
        output_bytes: engine.max_output_bytes,
        memory_bytes: engine.memory_mb * 1_048_576,
        processes: PROCESS_LIMIT,
      },
      signal: call.signal,
      stdin: call.input_text,
      onOutput: (stream, text) => void (stream === 'stderr' && readProgress(text)),
    })
    return endOf(outcome)
  } catch (error) {
    if (!(error instanceof SandboxUnavailable)) throw error
    log.warn({ fault: error.name, remedy: error.remedy }, 'an engine could not be started in the sandbox')
    return failedWith('ENGINE_UNAVAILABLE')
  }
}

function profileOf(argv: readonly string[], read: readonly string[], home_folder: string): SandboxProfile {
  const files = [...argv.filter(isNamedFile), ...read].filter((path) => !SYSTEM.test(path))
  return {
    mounts: files.map((path): SandboxMount => ({ path, access: 'read' })),
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

function endOf(outcome: CommandOutcome): EngineEnd {
  if (outcome.ended === 'cancelled') return { kind: 'cancelled' }
  if (outcome.ended === 'timeout') return failedWith('ENGINE_TIMEOUT')
  const flooded = outcome.ended === 'output_limit' || outcome.limit_hit !== undefined
  if (flooded || outcome.dropped_bytes > 0) return failedWith('ENGINE_FLOODED')
  if (outcome.exit_code !== 0) return failedWith('ENGINE_CRASHED')
  return { kind: 'answered', text: outcome.stdout }
}
