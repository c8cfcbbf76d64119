import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pino from 'pino'
import type { z } from 'zod'
import { asFault } from '../../src/domains/toolbox/as-fault.ts'
import { buildPolicy } from '../../src/domains/toolbox/policy/build-policy.ts'
import { ProjectConfig } from '../../src/domains/toolbox/policy/config-schema.ts'
import type { ToolCall, ToolDeclaration } from '../../src/domains/toolbox/tool.ts'
import type { FaultCode } from '../../src/domains/toolbox/tool-fault.ts'
import { type Hub, openHub } from '../../src/operations/hub.ts'
import { homeAt } from '../../src/platform/basics/home.ts'
import { realSystem } from '../../src/platform/basics/system.ts'
import type { Guard } from '../../src/platform/guard/guard.ts'
import { openGuard } from '../../src/platform/guard/open-guard.ts'
import { openPatterns } from '../../src/platform/patterns/open-patterns.ts'
import type { Patterns } from '../../src/platform/patterns/patterns.ts'
import { createRedactor } from '../../src/platform/redaction/redactor.ts'

/** How a call ended; `data` is there only after success. */
export interface Outcome<Output> {
  readonly code: 'success' | FaultCode
  readonly data: Output | undefined
  readonly message: string
  readonly suggestion: string
}

/** What a test changes of a call. */
export interface CallChanges {
  readonly patterns?: Patterns
  readonly role?: 'dev' | 'product_owner'
}

/** A project with one service in a temporary folder, and all that its file tools are called with. */
export interface FilesProject extends AsyncDisposable {
  readonly base: string
  readonly service_root: string
  readonly guard: Guard
  readonly patterns: Patterns
  readonly hub: Hub
  readonly logged: string[]
  put(path: string, content: string | Buffer, mode?: number): void
  /** Puts a file beside the service, in the project. */
  putInProject(path: string, content: string): void
  bytes(path: string): Buffer
  text(path: string): string
  exists(path: string): boolean
  /** All files and folders of the service. */
  names(): string[]
  /** Calls a tool as the pipeline does: arguments, then what can be refused early, then the work. */
  call<Input extends z.ZodObject, Output, Ready>(
    tool: ToolDeclaration<Input, Output, Ready>,
    input: object,
    changes?: CallChanges,
  ): Promise<Outcome<Output>>
}

const WARM_CALLS = 20
let warm: Promise<Patterns> | undefined

/**
 * One engine for all tests of a file, used a few times before: on a busy machine the first uses of a thread, which
 * compile the engine itself, may take longer than one pattern is allowed to.
 */
function warmPatterns(): Promise<Patterns> {
  warm ??= (async () => {
    const patterns = openPatterns()
    for (let call = 0; call < WARM_CALLS; call += 1) await patterns.findAll('[a-z]+', 'abc').catch(() => [])
    return patterns
  })()
  return warm
}

/** Makes a project of its own for a test. */
export async function makeFilesProject(): Promise<FilesProject> {
  const base = mkdtempSync(join(tmpdir(), 'file-tools-'))
  mkdirSync(join(base, 'project/services/shop'), { recursive: true })
  const project = await openFilesProject(base, await warmPatterns())
  const close = project[Symbol.asyncDispose]
  return {
    ...project,
    async [Symbol.asyncDispose]() {
      await close()
      rmSync(base, { recursive: true, force: true })
    },
  }
}

/** Opens a project that is there already, for another process. */
export async function openFilesProject(base: string, patterns = openPatterns()): Promise<FilesProject> {
  const project_root = join(base, 'project')
  const service_root = join(project_root, 'services/shop')
  const policy = buildPolicy(project_root, ProjectConfig.parse({}), 'test')
  const guard = openGuard({ ...policy, project_root, service_root })
  const logged: string[] = []
  const log = pino({ level: 'debug', base: null }, { write: (line: string) => void logged.push(line) })
  const hub = await openHub({ home: homeAt(join(base, 'home'), {}), env: {}, system: realSystem, log })
  const at = (path: string) => join(service_root, path)
  const given = { policy, guard, patterns, hub, redactor: createRedactor() }
  return {
    base,
    service_root,
    guard,
    patterns,
    hub,
    logged,
    put: (path, content, mode) => write(at(path), content, mode),
    putInProject: (path, content) => write(join(project_root, path), content),
    bytes: (path) => readFileSync(at(path)),
    text: (path) => readFileSync(at(path), 'utf8'),
    exists: (path) => lstatSync(at(path), { throwIfNoEntry: false }) !== undefined,
    names: () => readdirSync(service_root, { recursive: true, encoding: 'utf8' }).toSorted(),
    async call(tool, input, { role = 'dev', ...changes } = {}) {
      const context = { project_root, service_root, isolation_level: 'STRICT', role, agent_id: 'agent-1' }
      return outcomeOf(tool, input, { ...given, context, ...changes })
    },
    async [Symbol.asyncDispose]() {
      guard.close()
      await hub.close()
    },
  }
}

function write(path: string, content: string | Buffer, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content, { mode })
}

async function outcomeOf<Input extends z.ZodObject, Output, Ready>(
  tool: ToolDeclaration<Input, Output, Ready>,
  input: object,
  given: object,
): Promise<Outcome<Output>> {
  const parsed = tool.input.safeParse(input)
  if (!parsed.success)
    return { code: 'ValidationError', data: undefined, message: parsed.error.message, suggestion: '' }
  const { signal } = new AbortController()
  const call = { ...given, input: parsed.data, now: new Date(), signal } as unknown as ToolCall<
    z.output<Input>
  >
  try {
    await tool.check?.(call)
    const prepared = await tool.prepare?.(call)
    const handle = async () => tool.handle(call, prepared as Ready)
    const data = await handle().finally(() => prepared?.close())
    tool.output.parse(data)
    return { code: 'success', data, message: '', suggestion: '' }
  } catch (error) {
    const fault = asFault(error)
    if (!fault) throw error
    return { code: fault.code, data: undefined, message: fault.message, suggestion: fault.suggestion }
  }
}
