import { openSandbox } from '../../../platform/sandbox/open-sandbox.ts'
import { SandboxUnavailable } from '../../../platform/sandbox/sandbox.ts'
import type { Finding } from './finding.ts'

/** Whether tools can run commands here. Without a sandbox they refuse to, which is safe, so it is not wrong. */
export async function sandboxFindings(sandbox = openSandbox()): Promise<Finding[]> {
  const subject = 'sandbox'
  try {
    await sandbox.require()
    return [{ subject, state: 'ok', detail: 'commands of tools are jailed by bubblewrap', fix: null }]
  } catch (error) {
    if (!(error instanceof SandboxUnavailable)) throw error
    const fix = error.remedy ?? 'Look at the sandbox of this machine.'
    return [{ subject, state: 'off', detail: `tools run no commands: ${error.message}`, fix }]
  }
}
