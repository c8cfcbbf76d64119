import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isWithin } from '../../../../platform/sandbox/places.ts'
import {
  type CommandOutcome,
  type SandboxMount,
  SandboxUnavailable,
} from '../../../../platform/sandbox/sandbox.ts'
import type { ToolCall } from '../../tool.ts'
import { plainInfoMount } from '../repository/plain-info.ts'
import type { Repository } from '../repository/repository.ts'
import { renderTrustedConfig } from '../repository/trusted-config.ts'
import { keepTrustedConfig } from '../repository/trusted-file.ts'
import { type LentTree, withLentTree } from '../tree/lent-tree.ts'
import { FIXED_OPTIONS, gitEnvironment, requireGit } from './git-environment.ts'
import { runUnsandboxed } from './run-unsandboxed.ts'

/** What the git tools use of a call. */
export type GitCall = Pick<
  ToolCall<unknown>,
  'context' | 'policy' | 'sandbox' | 'hub' | 'signal' | 'guard' | 'redactor'
>

/** How git is run; the options that every command gets are not among it. */
export interface GitOptions {
  /** What it may change: its own folder, or that and the tree that it was lent. */
  readonly writes: 'nothing' | 'git_folder' | 'lent_tree'
  /** Stands in the place of the work tree; without it, git sees an empty one. The real one it never sees. */
  readonly lent?: LentTree
  /** A configuration that is used instead of a kept one. */
  readonly config_path?: string
  /** Only looks: the owner may let it run where there is no sandbox. */
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

/** One git command. */
export interface GitCommand extends GitOptions {
  readonly args: readonly string[]
}

const TIMEOUT_MS = 60_000
const OUTPUT_BYTES = 256 * 1024
const MARK_BYTES = 12

/** Runs one git command. */
export function runGit(
  call: GitCall,
  repository: Repository,
  { args, ...options }: GitCommand,
): Promise<CommandOutcome> {
  return runInTree(call, repository, [requireGit(), ...FIXED_OPTIONS, ...args], options)
}

/**
 * Runs git commands one after the other in one sandbox, which costs more to set up than a command takes. Each of them
 * reads the same input. Their errors are printed together.
 */
export async function runGitSteps<const Steps extends readonly (readonly string[])[]>(
  call: GitCall,
  repository: Repository,
  steps: Steps,
  { stdin = '', ...options }: GitOptions,
): Promise<{ [Place in keyof Steps]: CommandOutcome }> {
  const mark = call.hub.system.random(MARK_BYTES)
  const run = async (lent: LentTree): Promise<CommandOutcome> => {
    const name = `.input-${mark}`
    writeFileSync(join(lent.folder, name), stdin)
    const input = shellQuoted(`${repository.prefix.replace(/[^/]+/g, '..')}${name}`)
    const lines = steps.map(
      (args) =>
        `${[requireGit(), ...FIXED_OPTIONS, ...args].map(shellQuoted).join(' ')} <${input}; printf '\\n${mark} %d\\n' $?`,
    )
    return runInTree(call, repository, ['/bin/sh', '-c', lines.join('\n')], { ...options, lent })
  }
  const outcome = await (options.lent ? run(options.lent) : withLentTree(call, repository, run))
  return splitSteps(outcome, mark, steps.length) as { [Place in keyof Steps]: CommandOutcome }
}

/** In single quotes a shell takes every character for itself but the quote. */
function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

function splitSteps(outcome: CommandOutcome, mark: string, count: number): CommandOutcome[] {
  const parts = outcome.stdout.split(`\n${mark} `)
  return Array.from({ length: count }, (_, index) => {
    const text = parts[index] ?? ''
    const stdout = index === 0 ? text : text.slice(text.indexOf('\n') + 1)
    const status = /^\d+/.exec(parts[index + 1] ?? '')?.[0]
    return { ...outcome, stdout, exit_code: status === undefined ? null : Number(status) }
  })
}

/** Runs git in the sandbox with its own folder, the lent tree and a configuration of the hub's making. */
async function runInTree(
  call: GitCall,
  repository: Repository,
  argv: readonly string[],
  options: GitOptions,
): Promise<CommandOutcome> {
  if (options.lent) return runSandboxed(call, repository, argv, options, options.lent)
  return withLentTree(call, repository, (lent) => runSandboxed(call, repository, argv, options, lent))
}

async function runSandboxed(
  call: GitCall,
  repository: Repository,
  argv: readonly string[],
  command: GitOptions,
  lent: LentTree,
): Promise<CommandOutcome> {
  const limits = {
    timeout_ms: command.timeout_ms ?? TIMEOUT_MS,
    output_bytes: command.output_bytes ?? OUTPUT_BYTES,
  }
  const env = gitEnvironment(repository, { ...readerEnvironment(command), ...command.env })
  const content_path =
    command.config_path ?? keepTrustedConfig(call.hub, renderTrustedConfig(repository.settings))
  const info = command.sees_all_text ? [plainInfoMount(call.hub, repository)] : []
  const profile = {
    mounts: [...mountsFor(repository, command, lent), ...info, ...(command.mounts ?? [])],
    masked: repository.masked.filter((path) => info.every((mount) => !isWithin(mount.path, path))),
    overlays: [{ content_path, at: `${repository.git_dir}/config` }],
    read_only: [],
    // Git itself is trusted, and so is its configuration: it needs no more of the system than itself.
    ...(!command.network && { bare: true }),
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
    return runUnsandboxed(repository, {
      argv,
      cwd: join(lent.folder, repository.prefix),
      env: { ...env, GIT_WORK_TREE: lent.folder },
      limits,
      stdin: command.stdin,
      signal: call.signal,
    })
  }
}

/** Whether there is no sandbox at all and the owner lets such a command run without one. */
async function mayGoWithout({ policy, sandbox }: GitCall, { may_go_without }: GitOptions): Promise<boolean> {
  if (!may_go_without || !policy.allow_unsandboxed_git) return false
  return sandbox.require().then(
    () => false,
    () => true,
  )
}

// A command that only looks must not write a fresh index on the way either.
function readerEnvironment({ writes }: GitOptions): Record<string, string> {
  return writes === 'nothing' ? { GIT_OPTIONAL_LOCKS: '0' } : {}
}

function mountsFor(
  { work_tree, git_dir }: Repository,
  { writes }: GitOptions,
  { folder }: LentTree,
): SandboxMount[] {
  // Somebody who works around the service could put a link in its place, or in the place of a folder above it.
  return [
    {
      path: work_tree,
      access: writes === 'lent_tree' ? 'write' : 'read',
      content_path: folder,
      is_real: true,
    },
    { path: git_dir, access: writes === 'nothing' ? 'read' : 'write', is_real: true },
  ]
}
