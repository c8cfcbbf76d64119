import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FileFault } from '../../../../platform/guard/guard.ts'
import { ToolFault } from '../../tool-fault.ts'
import { checkAllowedForTask } from '../check-command.ts'
import type { CommandCall } from '../command-call.ts'
import { INSTALL_TIMEOUT_MS, LOCKFILE_BYTES_MAX, MANIFEST_BYTES_MAX } from '../command-limits.ts'
import { parseTruncation } from '../cut-output.ts'
import { findProgram, programPlaces } from '../find-program.ts'
import { type CommandReport, runCommand } from '../run-command.ts'
import { serviceProfile } from '../service-profile.ts'
import { MANAGERS, type Manager } from './managers.ts'
import { PUBLIC_NPM_REGISTRY } from './public-registries.ts'

// Services whose dependencies are being installed by this process: two at once would spoil each other's work.
const busy = new Set<string>()

/** Checks a request for an installation; nothing is started. */
export function checkInstall(call: CommandCall, name: string): void {
  const manager = requireManager(name)
  checkAllowedForTask(call, [manager.program])
  readLock(call, manager)
}

/** Installs from the lockfile that was checked, and from no other. */
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
    return await lendFile(readLock(call, manager), (path) => startManager(call, manager, path))
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

function readLock(call: CommandCall, manager: Manager): Buffer {
  for (const file of manager.lockfiles) {
    const bytes = findFile(call, file, LOCKFILE_BYTES_MAX)
    // An empty one may be what stood for a missing one in a run that was killed.
    if (bytes === undefined || bytes.length === 0) continue
    if (findFile(call, manager.manifest, MANIFEST_BYTES_MAX) === undefined) throw missing(manager.manifest)
    manager.checkLock(file, bytes, registryOf(call))
    return bytes
  }
  throw missing(manager.lockfiles.join(' or '))
}

function findFile({ guard }: CommandCall, path: string, max_bytes: number): Buffer | undefined {
  try {
    return guard.readFile(path, max_bytes).bytes
  } catch (error) {
    if (error instanceof FileFault && error.code === 'FileNotFound') return undefined
    throw error
  }
}

function missing(file: string): ToolFault {
  return new ToolFault(
    'FileNotFound',
    `The service has no ${file}.`,
    'Dependencies are installed from a lockfile only. Ask the owner to write and commit one.',
  )
}

// The owner's own mirror may be on this machine; whatever is further away has to be encrypted.
function registryOf({ hub }: CommandCall): string {
  const named = hub.env.KNOWTATION_NPM_REGISTRY
  if (named === undefined || named === '') return PUBLIC_NPM_REGISTRY
  const { protocol, hostname, username, href } = new URL(named)
  const is_local = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)
  if ((protocol === 'https:' || (protocol === 'http:' && is_local)) && username === '') return href
  throw new ToolFault(
    'NotConfigured',
    'KNOWTATION_NPM_REGISTRY has to be an https address without a password.',
    'Ask the owner to correct it.',
  )
}

async function startManager(call: CommandCall, manager: Manager, lent_path: string): Promise<CommandReport> {
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
  const { args, needs } = manager.prepare(call, registryOf(call))
  // Over every name that the manager would look for: none can turn up in the meantime either.
  const overlays = manager.lockfiles.map((file) => ({
    content_path: lent_path,
    at: join(call.context.service_root, file),
  }))
  return runCommand(call, {
    profile: serviceProfile(call, places, { ...needs, network: true, overlays }),
    argv: [program, ...args],
    timeout_ms: INSTALL_TIMEOUT_MS,
    truncation: parseTruncation(undefined),
  })
}

// The checked bytes themselves are put over the lockfile: it could be changed between check and use.
async function lendFile<Result>(bytes: Buffer, act: (path: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-lock-'))
  try {
    const path = join(folder, 'lockfile')
    writeFileSync(path, bytes, { mode: 0o600 })
    return await act(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
