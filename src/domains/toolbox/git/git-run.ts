import { isWithin } from '../../../platform/sandbox/places.ts'
import {
  type CommandOutcome,
  type SandboxMount,
  SandboxUnavailable,
} from '../../../platform/sandbox/sandbox.ts'
import type { ToolCall } from '../tool.ts'
import { FIXED_OPTIONS, gitEnvironment, requireGit } from './git-environment.ts'
import { plainInfoMount } from './plain-info.ts'
import type { Repository } from './repository.ts'
import { runUnsandboxed } from './run-unsandboxed.ts'
import { renderTrustedConfig } from './trusted-config.ts'
import { keepTrustedConfig } from './trusted-file.ts'

/** What the git tools use of a call. */
export type GitCall = Pick<
  ToolCall<unknown>,
  'context' | 'policy' | 'sandbox' | 'hub' | 'signal' | 'guard' | 'redactor'
>

/** One git command, without the options that every one gets. */
export interface GitCommand {
  readonly args: readonly string[]
  /** What of the repository it may change; all the rest is read-only to it. */
  readonly writes: 'nothing' | 'git_folder' | 'service'
  /** A configuration that is used instead of a kept one. */
  readonly config_path?: string
  /** Only looks: the owner may let it run where there is no sandbox, and one of its own can be bare. */
  readonly may_go_without?: boolean
  /** Takes no word of a `.gitattributes` for which files are binary. */
  readonly sees_all_text?: boolean
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  readonly network?: boolean
  readonly mounts?: readonly SandboxMount[]
  readonly output_bytes?: number
  readonly timeout_ms?: number
}

const TIMEOUT_MS = 60_000
const OUTPUT_BYTES = 256 * 1024

/** Runs git in the sandbox with the whole work tree in sight and a configuration of the hub's making. */
export async function runGit(
  call: GitCall,
  repository: Repository,
  command: GitCommand,
): Promise<CommandOutcome> {
  const limits = {
    timeout_ms: command.timeout_ms ?? TIMEOUT_MS,
    output_bytes: command.output_bytes ?? OUTPUT_BYTES,
  }
  const argv = [requireGit(), ...FIXED_OPTIONS, ...command.args]
  const env = gitEnvironment(repository, { ...readerEnvironment(command), ...command.env })
  const content_path =
    command.config_path ?? keepTrustedConfig(call.hub, renderTrustedConfig(repository.settings))
  const info = command.sees_all_text ? [plainInfoMount(call.hub, repository)] : []
  const profile = {
    mounts: [...mountsFor(repository, command), ...info, ...(command.mounts ?? [])],
    masked: repository.masked.filter((path) => info.every((mount) => !isWithin(mount.path, path))),
    overlays: [{ content_path, at: `${repository.git_dir}/config` }],
    read_only: [],
    // Git itself is trusted, and so is its configuration; one that only looks needs no more than itself.
    ...(command.may_go_without && { bare: true }),
    network: command.network ?? false,
    cwd: repository.service_root,
    env,
  }
  const options = {
    limits,
    signal: call.signal,
    ...(command.stdin === undefined ? {} : { stdin: command.stdin }),
  }
  try {
    return await call.sandbox.run(profile, argv, options)
  } catch (error) {
    if (!(error instanceof SandboxUnavailable && (await mayGoWithout(call, command)))) throw error
    return runUnsandboxed(repository, { argv, env, limits, signal: call.signal })
  }
}

/** Whether there is no sandbox at all and the owner lets such a command run without one. */
async function mayGoWithout({ policy, sandbox }: GitCall, { may_go_without }: GitCommand): Promise<boolean> {
  if (!may_go_without || !policy.allow_unsandboxed_git) return false
  return sandbox.require().then(
    () => false,
    () => true,
  )
}

// A command that only looks must not write a fresh index on the way either.
function readerEnvironment({ writes }: GitCommand): Record<string, string> {
  return writes === 'nothing' ? { GIT_OPTIONAL_LOCKS: '0' } : {}
}

function mountsFor({ work_tree, service_root, git_dir }: Repository, { writes }: GitCommand): SandboxMount[] {
  const tree: SandboxMount = { path: work_tree, access: 'read' }
  const service: SandboxMount = { path: service_root, access: 'write' }
  const folder: SandboxMount = { path: git_dir, access: 'write' }
  if (writes === 'nothing') return [tree]
  return writes === 'git_folder' ? [tree, folder] : [tree, service, folder]
}
