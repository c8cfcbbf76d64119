import { installPackageTool } from './install-package.ts'
import { migrateConfigTool } from './migrate-config.ts'
import { systemCtlTool } from './system-ctl.ts'
import { type SystemRunner, systemRunner } from './system-runner.ts'
import { verifyBinaryTool } from './verify-binary.ts'

/** The tools that manage the machine, for the role sre alone. */
export function systemTools(runner: SystemRunner = systemRunner()) {
  return [
    installPackageTool(runner),
    verifyBinaryTool(runner),
    systemCtlTool(runner),
    migrateConfigTool,
  ] as const
}
