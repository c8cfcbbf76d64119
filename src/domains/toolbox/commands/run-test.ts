import { z } from 'zod'
import type { ToolDeclaration } from '../tool.ts'
import { COMMAND_ROLES } from './command-call.ts'
import { parseTruncation } from './cut-output.ts'
import { CommandOutput, checkToolchainRun, runToolchain, Target } from './toolchain-run.ts'

const Input = z.strictObject({
  target: Target,
  truncation_strategy: z
    .string()
    .max(32)
    .optional()
    .describe('HEAD:n or TAIL:n shows that many lines; without it, both ends of a long output'),
})

/** Runs the service's tests. */
export const runTest: ToolDeclaration<typeof Input, z.output<typeof CommandOutput>> = {
  name: 'run_test',
  description:
    'Runs the test command that the project has configured for your service on a target inside it. The ' +
    'command is jailed: it can write in your service only, has no network, and sees no secrets. A failing ' +
    'test gives the error CommandFailed with stdout and stderr in its details.',
  effect: 'update',
  roles: COMMAND_ROLES,
  input: Input,
  output: CommandOutput,
  check(call) {
    parseTruncation(call.input.truncation_strategy)
    checkToolchainRun(call, 'test', call.input.target)
  },
  handle(call) {
    const truncation = parseTruncation(call.input.truncation_strategy)
    return runToolchain(call, 'test', call.input.target, truncation)
  },
}
