import { findProgram } from '../../../../platform/basics/find-program.ts'
import { withMutex } from '../../../../platform/basics/mutex.ts'
import type { HeldTree } from '../../../../platform/trees/hold-tree.ts'
import { ToolFault } from '../../tool-fault.ts'
import { withTreeLock } from '../../tree-lock.ts'
import { checkAllowedForTask } from '../check-command.ts'
import type { CommandCall } from '../command-call.ts'
import { INSTALL_TIMEOUT_MS, LOCKFILE_BYTES_MAX } from '../command-limits.ts'
import { parseTruncation } from '../cut-output.ts'
import { programPlaces } from '../program-places.ts'
import { type CommandReport, runInTree } from '../run-command.ts'
import { type Lent, type LentFile, lendFiles } from './lent-files.ts'
import { MANAGERS, type Manager } from './managers.ts'
import { PUBLIC_NPM_REGISTRY } from './public-registries.ts'
import { findFile, missingFile, openManifests } from './read-manifests.ts'

// A second installation in a service would only repeat the first, so it is refused and does not wait.
const bound = {
  limit: 0,
  full: () =>
    new ToolFault(
      'ResourceBusy',
      'Dependencies of this service are being installed already.',
      'Wait for the other call to end.',
    ),
}

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
  const install = () =>
    withTreeLock(call, async (tree) => {
      const files = readChecked(call, manager)
      return lendFiles(files, (lent) => startManager(call, tree, manager, lent, files))
    })
  return withMutex(`installation ${call.context.service_root}`, install, { bound })
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
  tree: HeldTree,
  manager: Manager,
  lent: Lent,
  files: readonly LentFile[],
): Promise<CommandReport> {
  const places = programPlaces(call.hub.env)
  const program = findProgram(places.folders, manager.program)
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
    report = await runInTree(call, tree, {
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
