import { z } from 'zod'
import type { ToolDeclaration } from '../tool.ts'
import { COMMAND_ROLES } from './command-call.ts'
import { checkInstall, runInstall } from './install/run-install.ts'
import { CommandOutput } from './toolchain-run.ts'

const Input = z.strictObject({
  manager: z.string().min(1).max(32).describe('npm, poetry or cargo'),
})

/** Installs what the lockfile of the service names. */
export const installDependencies: ToolDeclaration<typeof Input, z.output<typeof CommandOutput>> = {
  name: 'install_dependencies',
  description:
    'Installs the dependencies of your service from its lockfile: npm ci, poetry install, or cargo fetch ' +
    '--locked. Scripts of packages are not run, only packages of the public registry with checksums are ' +
    'taken, and the lockfile is never changed. pip install and npm install are not available.',
  effect: 'update',
  open_world: true,
  roles: COMMAND_ROLES,
  input: Input,
  output: CommandOutput,
  check: (call) => checkInstall(call, call.input.manager),
  handle: (call) => runInstall(call, call.input.manager),
}
