import { ToolFault } from '../../tool-fault.ts'
import { checkAllowedForTask } from '../check-command.ts'
import type { CommandCall } from '../command-call.ts'
import { INSTALL_TIMEOUT_MS, LOCKFILE_BYTES_MAX } from '../command-limits.ts'
import { parseTruncation } from '../cut-output.ts'
import { findProgram, programPlaces } from '../find-program.ts'
import { type CommandReport, runCommand } from '../run-command.ts'
import { type Lent, type LentFile, lendFiles } from './lent-files.ts'
import { MANAGERS, type Manager } from './managers.ts'
import { PUBLIC_NPM_REGISTRY } from './public-registries.ts'
import { findFile, missingFile, openManifests } from './read-manifests.ts'

// Services whose dependencies are being installed by this process: two at once would spoil each other's work.
const busy = new Set<string>()

/** Checks a request for an installation; nothing is started. */
export function checkInstall(call: CommandCall, name: string): void {
  const manager = requireManager(name)
  checkAllowedForTask(call, [manager.program])
  readChecked(call, manager)
}

/** Installs from the lockfile and the manifests that were checked, and from no others. */
export async function runInstall(call: CommandCall, name: string): Promise<CommandReport> {
  const manager = requireManager(name)
  checkAllowedForTask(call, [manager.program])
  const { service_root } = call.context
  if (busy.has(service_root)) {
    const text = 'Dependencies of this service are being installed already.'
    throw new ToolFault('ResourceBusy', text, 'Wait for the other call to end.')
  }
  busy.add(service_root)
  try {
    const files = readChecked(call, manager)
    return await lendFiles(files, (lent) => startManager(call, manager, lent, files))
  } finally {
    busy.delete(service_root)
  }
}

function requireManager(name: string): Manager {
  const manager = Object.hasOwn(MANAGERS, name) ? MANAGERS[name] : undefined
  if (manager !== undefined) return manager
  if (/^pip[0-9.]*$/.test(name)) {
    throw new ToolFault(
      'PolicyViolation',
      'pip install is not allowed: it follows no lockfile.',
      'Use manager poetry, which runs poetry install from poetry.lock.',
      {
        violation: {
          violation_type: 'dangerous_command',
          target_path: null,
          command_args: ['pip', 'install'],
        },
      },
    )
  }
  const known = Object.keys(MANAGERS).join(', ')
  throw new ToolFault(
    'ValidationError',
    `There is no manager ${JSON.stringify(name)}.`,
    `Use one of ${known}.`,
  )
}

// Read and checked together: what is lent to the manager is what fits.
function readChecked(call: CommandCall, manager: Manager): LentFile[] {
  for (const file of manager.lockfiles) {
    const bytes = findFile(call, file, LOCKFILE_BYTES_MAX)
    // An empty one may be what stood for a missing one in a run that was killed.
    if (bytes === undefined || bytes.length === 0) continue
    const lock = manager.checkLock(file, bytes, registryOf(call))
    const manifests = manager.checkManifests(openManifests(call), file, lock)
    // Over every name that the manager would look for: none can turn up in the meantime either.
    return [...manager.lockfiles.map((at) => ({ at, bytes: lock })), ...manifests]
  }
  throw missingFile(manager.lockfiles.join(' or '))
}

// The owner's own mirror may be on this machine; whatever is further away has to be encrypted.
function registryOf({ hub }: CommandCall): string {
  const named = hub.env.KNOWTATION_NPM_REGISTRY
  if (named === undefined || named === '') return PUBLIC_NPM_REGISTRY
  const found = URL.canParse(named) ? new URL(named) : undefined
  // With its last slash, or `…/npm` would stand for `…/npm-other` as well.
  if (found !== undefined && isTrustworthy(found)) return found.href.replace(/\/?$/, '/')
  throw new ToolFault(
    'NotConfigured',
    'KNOWTATION_NPM_REGISTRY has to be an https address without a password.',
    'Ask the owner to correct it.',
  )
}

function isTrustworthy({ protocol, hostname, username, password }: URL): boolean {
  const is_local = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && is_local)
}

async function startManager(
  call: CommandCall,
  manager: Manager,
  lent: Lent,
  files: readonly LentFile[],
): Promise<CommandReport> {
  const places = programPlaces(call.hub.env)
  const program = findProgram(manager.program, places)
  if (program === undefined) {
    const text = `${manager.program} is not installed in ${places.folders.join(', ')}.`
    throw new ToolFault(
      'NotConfigured',
      text,
      'Ask the owner to install it, or to name its folder in KNOWTATION_TOOLCHAIN_PATH.',
    )
  }
  let report: CommandReport | undefined
  for (const { args, needs } of manager.prepare(call, lent, files, registryOf(call))) {
    report = await runCommand(call, {
      places,
      needs,
      argv: [program, ...args],
      timeout_ms: INSTALL_TIMEOUT_MS,
      truncation: parseTruncation(undefined),
    })
  }
  if (report === undefined) throw new Error(`${manager.program} has no commands`)
  return report
}
