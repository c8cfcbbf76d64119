import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import { buildPolicy } from '../../src/domains/toolbox/policy/build-policy.ts'
import { ProjectConfig } from '../../src/domains/toolbox/policy/config-schema.ts'
import { type SystemRunner, systemRunner } from '../../src/domains/toolbox/system/system-runner.ts'
import type { ToolCall, ToolDeclaration } from '../../src/domains/toolbox/tool.ts'
import { ToolFault } from '../../src/domains/toolbox/tool-fault.ts'
import { realSystem } from '../../src/platform/basics/system.ts'
import { temporaryFolder } from '../store/temporary-folder.ts'

/** What a stub program was started with. */
export interface Started {
  program: string
  argv: string[]
  env: string[]
  /** What its input is, and what it read from there. */
  input: string
  stdin: string
}

/** Programs that only write down how they were started, then do what their script says. */
export interface StubMachine {
  readonly runner: SystemRunner
  readonly folder: string
  started(): Started[]
}

/** A machine whose programs are stubs, started as real processes. */
export function stubMachine(programs: Record<string, string>, is_root = true): StubMachine {
  const folder = temporaryFolder()
  const log = join(folder, 'log')
  mkdirSync(log)
  for (const [name, then] of Object.entries(programs)) {
    const path = join(folder, name)
    writeFileSync(path, stubScript(log, then))
    chmodSync(path, 0o755)
  }
  return { runner: systemRunner({ path: [folder], is_root }), folder, started: () => readStarted(log) }
}

function stubScript(log: string, then: string): string {
  return `#!/bin/sh
n=$(/bin/ls ${log} | /usr/bin/wc -l)
d=${log}/$n
/bin/mkdir $d
printf '%s' "$0" > $d/program
for word in "$@"; do printf '%s\\0' "$word"; done > $d/argv
/usr/bin/env > $d/env
/bin/readlink /proc/$$/fd/0 > $d/input
/usr/bin/timeout 5 /bin/cat > $d/stdin
${then}
`
}

function readStarted(log: string): Started[] {
  const found: Started[] = []
  for (let at = 0; ; at++) {
    const read = (name: string) => readFileSync(join(log, `${at}`, name), 'utf8')
    try {
      const lists = { argv: read('argv').split('\0').slice(0, -1), env: read('env').trim().split('\n') }
      found.push({ program: read('program'), input: read('input').trim(), stdin: read('stdin'), ...lists })
    } catch {
      return found
    }
  }
}

/** A call of a tool, as the pipeline makes it: input parsed, then checked, then handled. */
export async function callTool<Input extends z.ZodObject, Output>(
  tool: ToolDeclaration<Input, Output>,
  input: Record<string, unknown>,
  more: { config?: object; project_root?: string; signal?: AbortSignal } = {},
): Promise<Output> {
  const parsed = tool.input.safeParse(input)
  if (!parsed.success) throw new ToolFault('ValidationError', parsed.error.message, 'Mend the input.')
  const project_root = more.project_root ?? '/nowhere'
  const call = {
    input: parsed.data,
    context: { project_root },
    policy: buildPolicy(project_root, ProjectConfig.parse(more.config ?? {}), 'test'),
    hub: { system: realSystem },
    signal: more.signal ?? new AbortController().signal,
  } as unknown as ToolCall<z.output<Input>>
  await tool.check?.(call)
  return tool.output.parse(await tool.handle(call)) as Output
}

/** The fault that a call ends with. */
export async function faultOf(calling: Promise<unknown>): Promise<ToolFault> {
  const fault = await calling.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (fault instanceof ToolFault) return fault
  throw new Error('The call did not end with a fault.', { cause: fault })
}
