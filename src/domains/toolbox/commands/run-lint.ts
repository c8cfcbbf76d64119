import { z } from 'zod'
import type { ToolDeclaration } from '../tool.ts'
import { COMMAND_ROLES } from './command-call.ts'
import { parseTruncation } from './cut-output.ts'
import { CommandOutput, checkToolchainRun, runToolchain, Target } from './toolchain-run.ts'

const Input = z.strictObject({ target: Target })

/** Runs the service's linter. */
export const runLint: ToolDeclaration<typeof Input, z.output<typeof CommandOutput>> = {
  name: 'run_lint',
  description:
    'Runs the lint command that the project has configured for your service on a target inside it, jailed ' +
    'as run_test is. Findings that make the linter fail give the error CommandFailed with its output in ' +
    'the details.',
  effect: 'update',
  roles: COMMAND_ROLES,
  input: Input,
  output: CommandOutput,
  check: (call) => checkToolchainRun(call, 'lint', call.input.target),
  handle: (call) => runToolchain(call, 'lint', call.input.target, parseTruncation(undefined)),
}
