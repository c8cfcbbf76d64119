import { z } from 'zod'
import { BINARY_NAME } from '../policy/config-names.ts'
import type { ToolDeclaration } from '../tool.ts'
import { findBinary } from './find-binary.ts'
import { type SystemRunner, systemRunner } from './system-runner.ts'

const Input = z.strictObject({
  binary_name: z.string().regex(BINARY_NAME).describe('The bare name of a program, such as pg_dump; no path'),
})

const Output = z.strictObject({ exists: z.boolean(), runnable: z.boolean(), path: z.string().nullable() })

/** Tells whether a program is there. */
export function verifyBinaryTool(
  runner: Pick<SystemRunner, 'path'> = systemRunner(),
): ToolDeclaration<typeof Input, z.output<typeof Output>> {
  return {
    name: 'verify_binary',
    description:
      'Tells whether a program of this name lies in the search path of system tools ' +
      `(${runner.path.join(':')}) and can be run. It is not started. Needs the role sre.`,
    effect: 'read',
    roles: ['sre'],
    required_role: 'sre',
    critical: true,
    input: Input,
    output: Output,
    handle({ input }) {
      const found = findBinary(runner.path, input.binary_name)
      return { exists: found !== undefined, runnable: found?.runnable ?? false, path: found?.path ?? null }
    },
  }
}
