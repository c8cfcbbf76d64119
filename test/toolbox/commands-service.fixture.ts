import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { z } from 'zod'
import { buildPolicy } from '../../src/domains/toolbox/policy/build-policy.ts'
import { ProjectConfig } from '../../src/domains/toolbox/policy/config-schema.ts'
import type { ToolCall, ToolDeclaration } from '../../src/domains/toolbox/tool.ts'
import type { ToolContext } from '../../src/domains/toolbox/tool-context.ts'
import { ToolFault } from '../../src/domains/toolbox/tool-fault.ts'
import { homeAt } from '../../src/platform/basics/home.ts'
import { openGuard } from '../../src/platform/guard/open-guard.ts'
import { createRedactor } from '../../src/platform/redaction/redactor.ts'
import { openSandbox } from '../../src/platform/sandbox/open-sandbox.ts'
import type { Sandbox } from '../../src/platform/sandbox/sandbox.ts'

export interface ServiceOptions {
  /** What `.flow/config.json` would say. */
  config?: object
  files?: Record<string, string>
  allowed_commands?: string[]
  sandbox?: Sandbox
  env?: Record<string, string>
  /** The hub's folder lies in the service. */
  home_inside?: boolean
}

/** A project with two services on the disk, and the tools as an agent of the first one has them. */
export interface TestService {
  readonly project: string
  readonly root: string
  readonly other: string
  readonly home: string
  write(path: string, content: string, mode?: number): void
  call<Input extends z.ZodObject, Output>(
    tool: ToolDeclaration<Input, Output>,
    input: z.input<Input>,
    signal?: AbortSignal,
  ): Promise<Output>
  remove(): void
}

const NODE_RUNS = { test: { command: ['node', '{target}'] }, lint: { command: ['node', '{target}'] } }
/** Whatever a test puts here replaces the configuration that lets `node` run a target. */
export const NODE_CONFIG = { tools: { whitelisted_binaries: ['node'] }, toolchains: { '*': NODE_RUNS } }

const sandbox = openSandbox()

/** Makes such a project, which goes when the test has ended. */
export function openService(options: ServiceOptions = {}): TestService {
  const service = makeService(options)
  onTestFinished(() => service.remove())
  return service
}

/** Makes such a project. Remove it at the end. */
export function makeService(options: ServiceOptions = {}): TestService {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'commands-test-')))
  const project = join(folder, 'project')
  const root = join(project, 'services', 'mine')
  const other = join(project, 'services', 'other')
  const home = join(options.home_inside ? root : folder, 'home')
  for (const path of [root, other, home, join(project, '.flow'), join(project, 'contracts')]) {
    mkdirSync(path, { recursive: true })
  }
  const write = (path: string, content: string, mode = 0o644): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content, { mode })
  }
  for (const [path, content] of Object.entries(options.files ?? {})) write(path, content)
  return {
    project,
    root,
    other,
    home,
    write,
    call: (tool, input, signal) => callTool({ project, root, home, options }, tool, input, signal),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

interface Parts {
  project: string
  root: string
  home: string
  options: ServiceOptions
}

async function callTool<Input extends z.ZodObject, Output>(
  { project, root, home, options }: Parts,
  tool: ToolDeclaration<Input, Output>,
  input: z.input<Input>,
  signal = new AbortController().signal,
): Promise<Output> {
  const policy = buildPolicy(project, ProjectConfig.parse(options.config ?? NODE_CONFIG), 'test')
  const guard = openGuard({ ...policy, service_root: root })
  const context: ToolContext = {
    project_root: project,
    service_root: root,
    isolation_level: 'STRICT',
    allowed_commands: options.allowed_commands,
    access_token: undefined,
    volume_id: `dev:${statSync(root).dev}`,
    role: 'dev',
    agent_id: 'agent-1',
  }
  const hub = { home: homeAt(home, {}), env: options.env ?? {} }
  const redactor = createRedactor({ patterns: policy.redact_patterns })
  const used = { sandbox: options.sandbox ?? sandbox, redactor, now: new Date(0) }
  const parts = { context, policy, guard, hub, signal, ...used }
  const call = { ...parts, input: tool.input.parse(input) } as unknown as ToolCall<z.output<Input>>
  try {
    await tool.check?.(call)
    return await tool.handle(call)
  } finally {
    guard.close()
  }
}

/** The fault that a call ends with. */
export async function faultOf(call: Promise<unknown>): Promise<ToolFault> {
  const error = await call.then(
    (value) => new Error(`no fault, but ${JSON.stringify(value)}`),
    (fault: unknown) => fault,
  )
  if (error instanceof ToolFault) return error
  throw error
}

/** A project whose only tools are the ones given, as `run_test` and `run_lint`. */
export function configured(command: string[], whitelisted_binaries: string[], more: object = {}): object {
  return {
    tools: { whitelisted_binaries },
    toolchains: { '*': { test: { command, ...more }, lint: { command, ...more } } },
  }
}

/** Where npm lies on this machine, for the hub to find it. */
export function npmFolder(): Record<string, string> {
  const folder = (process.env.PATH ?? '').split(':').find((path) => existsSync(join(path, 'npm')))
  return folder === undefined ? {} : { KNOWTATION_TOOLCHAIN_PATH: folder }
}
