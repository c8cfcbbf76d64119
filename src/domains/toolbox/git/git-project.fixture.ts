import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pino from 'pino'
import type { z } from 'zod'
import { type Hub, openHub } from '../../../operations/hub.ts'
import { homeAt } from '../../../platform/basics/home.ts'
import { realSystem } from '../../../platform/basics/system.ts'
import { GuardDenied } from '../../../platform/guard/guard.ts'
import { openGuard } from '../../../platform/guard/open-guard.ts'
import { createRedactor } from '../../../platform/redaction/redactor.ts'
import { openSandbox } from '../../../platform/sandbox/open-sandbox.ts'
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts'
import { buildPolicy } from '../policy/build-policy.ts'
import { ProjectConfig } from '../policy/config-schema.ts'
import type { ToolCall, ToolDeclaration } from '../tool.ts'
import type { ToolContext } from '../tool-context.ts'

export const realSandbox = openSandbox()

/** How the owner's own git runs in the tests: with nothing of the machine's settings. */
export const OWNER_ENV = {
  PATH: '/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'owner',
  GIT_AUTHOR_EMAIL: 'owner@localhost',
  GIT_COMMITTER_NAME: 'owner',
  GIT_COMMITTER_EMAIL: 'owner@localhost',
  GIT_TERMINAL_PROMPT: '0',
}

/** What a test changes of a call. */
export interface CallChanges {
  readonly context?: Partial<ToolContext>
  /** The content of `.flow/config.json`. */
  readonly config?: object
  readonly sandbox?: Sandbox
  readonly signal?: AbortSignal
}

/** A project with a repository and one service in a temporary folder, and a hub to call the tools of. */
export interface GitProject extends AsyncDisposable {
  /** Holds the project, and beside it whatever a test needs outside. */
  readonly base: string
  readonly root: string
  readonly service_root: string
  /** Runs git as the owner would, without any protection; gives what it printed. */
  git(...args: string[]): string
  /** Writes a file of the project. */
  write(path: string, content: string): void
  /** Writes a file of the service. */
  put(path: string, content: string | Buffer): void
  read(path: string): string
  commitAll(message?: string): void
  /** One text for everything in the project: names and contents, the git folder included. */
  fingerprint(): string
  context(changes?: Partial<ToolContext>): ToolContext
  /** Calls a tool as the executor does: arguments, then what can be refused early, then the work. */
  call<Input extends z.ZodObject, Output>(
    tool: ToolDeclaration<Input, Output>,
    input: object,
    changes?: CallChanges,
  ): Promise<Output>
  /** How a call ends: `success`, or the code of its fault. */
  codeOf<Input extends z.ZodObject, Output>(
    tool: ToolDeclaration<Input, Output>,
    input: object,
    changes?: CallChanges,
  ): Promise<string>
}

/**
 * Makes a project whose repository is at its root; the service may be `.`, the root itself. `from` is a project
 * folder that it starts as a copy of.
 */
export function makeGitProject(service = 'services/shop', from?: string): GitProject {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'git-tools-')))
  const root = join(base, 'project')
  const service_root = join(root, service)
  mkdirSync(service_root, { recursive: true })
  let hub: Promise<Hub> | undefined
  const git = (...args: string[]) => runGit(root, args)
  const write = (path: string, content: string | Buffer) => writeAt(join(root, path), content)
  if (from === undefined) git('init', '--quiet', '--initial-branch=main')
  else cpSync(from, root, { recursive: true, preserveTimestamps: true })
  const project: GitProject = {
    base,
    root,
    service_root,
    git,
    write,
    put: (path, content) => write(join(service, path), content),
    read: (path) => readFileSync(join(service_root, path), 'utf8'),
    commitAll(message = 'all') {
      git('add', '--all', '--force')
      git('commit', '--quiet', '--no-verify', '--message', message)
    },
    fingerprint: () => fingerprintOf(root),
    context: (changes = {}) => ({ ...contextOf(root, service_root), ...changes }),
    async call(tool, input, changes = {}) {
      hub ??= openTestHub(join(base, 'home'))
      return callTool(project, await hub, tool, input, changes)
    },
    codeOf: (tool, input, changes) => codeOf(project.call(tool, input, changes)),
    async [Symbol.asyncDispose]() {
      await (await hub)?.close()
      rmSync(base, { recursive: true, force: true })
    },
  }
  return project
}

/** A project with two services and a shared folder, all committed. */
export function makeShop(): GitProject {
  const project = makeGitProject()
  project.put('a.txt', 'a\n')
  project.put('b.txt', 'b\n')
  project.write('services/other/c.txt', 'c\n')
  project.write('shared_contracts/s.txt', 's\n')
  project.commitAll()
  return project
}

/** Runs git in a folder without any protection. */
export function runGit(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = OWNER_ENV): string {
  const { stdout, stderr, status } = spawnSync('git', args, { cwd, env, encoding: 'utf8', timeout: 20_000 })
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  return stdout
}

/** Writes a file and the folders that it lies in. */
export function writeAt(path: string, content: string | Buffer, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content, { mode })
}

function contextOf(project_root: string, service_root: string): ToolContext {
  return {
    project_root,
    service_root,
    isolation_level: 'STRICT',
    allowed_commands: undefined,
    access_token: undefined,
    volume_id: 'dev:0',
    role: 'dev',
    agent_id: 'agent-1',
  }
}

function openTestHub(folder: string): Promise<Hub> {
  return openHub({ home: homeAt(folder, {}), env: {}, system: realSystem, log: pino({ level: 'silent' }) })
}

async function callTool<Input extends z.ZodObject, Output>(
  { root, service_root, context }: GitProject,
  hub: Hub,
  tool: ToolDeclaration<Input, Output>,
  input: object,
  changes: CallChanges,
): Promise<Output> {
  const parsed = tool.input.safeParse(input)
  if (!parsed.success) throw Object.assign(new Error(parsed.error.message), { code: 'ValidationError' })
  const policy = buildPolicy(root, ProjectConfig.parse(changes.config ?? {}), 'test')
  const guard = openGuard({ ...policy, project_root: root, service_root })
  const call = {
    input: parsed.data,
    context: context(changes.context),
    policy,
    guard,
    hub,
    now: new Date(),
    sandbox: changes.sandbox ?? realSandbox,
    redactor: createRedactor({ patterns: policy.redact_patterns }),
    signal: changes.signal ?? new AbortController().signal,
  } as unknown as ToolCall<z.output<Input>>
  try {
    await tool.check?.(call)
    const output = await tool.handle(call)
    tool.output.parse(output)
    return output
  } finally {
    guard.close()
  }
}

async function codeOf(answer: Promise<unknown>): Promise<string> {
  try {
    await answer
    return 'success'
  } catch (error) {
    if (error instanceof GuardDenied) return `SecurityError: ${error.reason}`
    const { code, name } = error as { code?: string; name: string }
    return code ?? name
  }
}

function fingerprintOf(folder: string): string {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const lines = entries.map((entry) => {
    const path = join(entry.parentPath, entry.name)
    if (entry.isSymbolicLink()) return `${path} -> ${readlinkSync(path)}`
    return entry.isFile() ? `${path} ${createHash('sha256').update(readFileSync(path)).digest('hex')}` : path
  })
  return lines.toSorted().join('\n')
}

/** Whether something exists; for canaries. */
export function isThere(path: string): boolean {
  return existsSync(path)
}
