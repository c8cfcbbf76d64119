import { openSandbox } from '../../../platform/sandbox/open-sandbox.ts'
import { type LimitKeeper, SandboxUnavailable } from '../../../platform/sandbox/sandbox.ts'
import type { Finding } from './doctor-finding.ts'

/** Whether tools can run commands here. Without a sandbox they refuse to, which is safe, so it is not wrong. */
export async function sandboxFindings(sandbox = openSandbox()): Promise<Finding[]> {
  if (process.platform !== 'linux') return [elsewhere()]
  const subject = 'sandbox'
  try {
    await sandbox.require()
    const jailed = {
      subject,
      state: 'ok' as const,
      detail: 'commands of tools are jailed by bubblewrap',
      fix: null,
    }
    return [jailed, limitFinding(sandbox.limitKeeper())]
  } catch (error) {
    if (!(error instanceof SandboxUnavailable)) throw error
    const fix = error.remedy ?? 'Look at the sandbox of this machine.'
    return [{ subject, state: 'off', detail: `tools run no commands: ${error.message}`, fix }]
  }
}

const RUN_ON_LINUX = 'Run the hub on Linux for that; docs/running.md says what works where.'

/** What only Linux has is closed elsewhere, and all else works. */
function elsewhere(): Finding {
  const closed = 'the toolbox and engines that are commands are closed: they need Linux'
  return { subject: 'system', state: 'off', detail: `${process.platform}: ${closed}`, fix: RUN_ON_LINUX }
}

/** Watched limits hold too, but a burst can go beyond them until the next look. */
function limitFinding(keeper: LimitKeeper): Finding {
  const subject = 'sandbox limits'
  if (keeper.kind === 'kernel') {
    const detail = `the kernel keeps commands to their memory and threads, in control groups at ${keeper.folder}`
    return { subject, state: 'ok', detail, fix: null }
  }
  const detail = `the hub watches the memory and threads of commands, for ${keeper.reason}`
  return { subject, state: 'off', detail, fix: keeper.fix }
}
