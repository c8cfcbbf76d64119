import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { z } from 'zod'
import { asFault } from '../../src/domains/toolbox/as-fault.ts'
import { guardScopeOf } from '../../src/domains/toolbox/guard-scope.ts'
import { buildPolicy } from '../../src/domains/toolbox/policy/build-policy.ts'
import { ProjectConfig } from '../../src/domains/toolbox/policy/config-schema.ts'
import { countMatches } from '../../src/domains/toolbox/search/count-matches.ts'
import { searchFile } from '../../src/domains/toolbox/search/search-file.ts'
import type { searchInput } from '../../src/domains/toolbox/search/search-input.ts'
import type { ToolCall, ToolDeclaration } from '../../src/domains/toolbox/tool.ts'
import type { ToolContext } from '../../src/domains/toolbox/tool-context.ts'
import { homeAt } from '../../src/platform/basics/home.ts'
import { openGuard } from '../../src/platform/guard/open-guard.ts'
import { createRedactor } from '../../src/platform/redaction/redactor.ts'
import { temporaryFolder } from '../store/temporary-folder.ts'

/** A project with one service, in a folder that goes with the test. */
export interface SearchService {
  readonly project_root: string
  readonly service_root: string
  /** Writes a file of the service. */
  put(path: string, content: string | Uint8Array): void
  /** Calls a tool as its operation does: input, then what can be refused early, then the work. */
  call<Input extends z.ZodObject, Output>(
    tool: ToolDeclaration<Input, Output>,
    input: z.input<Input>,
    signal?: AbortSignal,
  ): Promise<Output>
}

/** Makes the service `shop` of a project, with nothing in it; `config` is what `.flow/config.json` would say. */
export function makeSearchService(config: object = {}): SearchService {
  const project_root = join(realpathSync(temporaryFolder()), 'project')
  const service_root = join(project_root, 'shop')
  mkdirSync(service_root, { recursive: true })
  const policy = buildPolicy(project_root, ProjectConfig.parse(config), 'test')
  const context = { project_root, service_root, role: 'dev', isolation_level: 'STRICT' } as ToolContext
  const redactor = createRedactor()
  const hub = { home: homeAt(join(project_root, 'shop/home'), {}) }
  return {
    project_root,
    service_root,
    put(path, content) {
      mkdirSync(dirname(join(service_root, path)), { recursive: true })
      writeFileSync(join(service_root, path), content)
    },
    async call(tool, given, signal = new AbortController().signal) {
      const input = tool.input.parse(given)
      const guard = openGuard(guardScopeOf(context, policy, [hub.home.folder]))
      const call = { input, context, policy, guard, redactor, hub, signal } as unknown as ToolCall<
        typeof input
      >
      try {
        await tool.check?.(call)
        return tool.output.parse(await tool.handle(call)) as never
      } finally {
        guard.close()
      }
    },
  }
}

export interface SeenFault {
  readonly code: string | undefined
  readonly message: string
}

/** How a call ends: the code of its fault as an agent reads it, or `success`. */
export async function faultOf(answer: Promise<unknown>): Promise<SeenFault> {
  try {
    await answer
    return { code: 'success', message: '' }
  } catch (error) {
    return { code: asFault(error)?.code, message: (error as Error).message }
  }
}

/** How search_file and count_matches end with the same input. */
export function faultsOfBoth(
  service: SearchService,
  input: z.input<typeof searchInput>,
): Promise<SeenFault[]> {
  return Promise.all([faultOf(service.call(searchFile, input)), faultOf(service.call(countMatches, input))])
}
