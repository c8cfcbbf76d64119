import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { SandboxMount, SandboxProfile } from '../../../platform/sandbox/sandbox.ts'
import type { HeldTree } from '../../../platform/trees/hold-tree.ts'
import { type ClosedPaths, requireClosedPaths } from './closed-paths-below.ts'
import type { CommandCall } from './command-call.ts'
import { commandEnvironment, networkEnvironment } from './command-environment.ts'
import { ENVIRONMENTS_MAX } from './command-limits.ts'
import { dependencyFolder } from './dependency-folder.ts'
import { gitFolders, gitSecrets } from './git-folders.ts'
import { type ProgramPlaces, programMounts } from './program-places.ts'

/** What a profile for commands in a service has beside the ordinary. */
export interface ProfileNeeds {
  readonly network?: boolean
  /** Writable unless said otherwise. */
  readonly service_access?: SandboxMount['access']
  /** A folder of the hub's own that stands in the place of the service, of which nothing is shown then. */
  readonly service_content?: string
  readonly env?: Readonly<Record<string, string>>
  readonly mounts?: readonly SandboxMount[]
  readonly masked?: readonly string[]
  readonly overlays?: SandboxProfile['overlays']
  readonly cwd?: string
}

// Names that must not come to be in the service's own folder while foreign code runs: the hub, git or the
// owner's shell would take them for the owner's later. A slash says what stands there meanwhile.
const NEVER_CREATED = ['.env', '.env.local', '.npmrc', '.git/', '.flow/', 'secrets/']

/** What is closed in all that a command of a service will see. */
export function closedToCommand(call: CommandCall): ClosedPaths {
  const { service_root } = call.context
  const closed = requireClosedPaths([service_root, ...sharedFolders(call)], call.policy.block_patterns)
  // What is in the hub's home is hidden as a whole.
  const bare = closed.bare.filter((path) => !path.startsWith(`${call.hub.home.folder}/`))
  return { ...closed, bare }
}

/**
 * The service writable, shared folders and the programs' own readable, closed names covered, and nothing
 * else of the host.
 */
export function serviceProfile(
  call: CommandCall,
  tree: HeldTree,
  closed: ClosedPaths,
  places: ProgramPlaces,
  needs: ProfileNeeds,
): SandboxProfile {
  const { service_root } = call.context
  const repositories = closed.repositories.flatMap(gitFolders)
  const installed = needs.network ? [] : installedFolders(call)
  return {
    mounts: [
      { path: service_root, access: needs.service_access ?? 'write', is_real: true, folder: tree },
      ...sharedFolders(call).map((path) => ({ path, access: 'read' as const, is_real: true })),
      ...programMounts(places),
      ...installed.map((path) => ({ path, access: 'read' as const })),
      ...(needs.mounts ?? []),
    ],
    masked: [
      ...closed.covered,
      ...neverCreated(call),
      ...repositories.flatMap(gitSecrets),
      ...(needs.masked ?? []),
    ],
    read_only: [...new Set([`${service_root}/.git/`, ...repositories, ...closed.bare])],
    ...surroundings(call, places, needs),
  }
}

/** A folder of the hub's own in the place of the service, of which nothing is shown. */
export function standInProfile(
  call: CommandCall,
  places: ProgramPlaces,
  needs: ProfileNeeds,
  content_path: string,
): SandboxProfile {
  const service = { path: call.context.service_root, access: needs.service_access ?? 'write', content_path }
  return {
    mounts: [service, ...programMounts(places), ...(needs.mounts ?? [])],
    masked: needs.masked ?? [],
    read_only: [],
    ...surroundings(call, places, needs),
  }
}

/** What is the same whatever stands in the place of the service. */
function surroundings(call: CommandCall, places: ProgramPlaces, needs: ProfileNeeds) {
  return {
    overlays: needs.overlays ?? [],
    network: needs.network ?? false,
    cwd: needs.cwd ?? call.context.service_root,
    env: commandEnvironment(places, needs.network ? [] : ownFolders(call), {
      ...(needs.network ? networkEnvironment() : offlineEnvironment(call)),
      ...needs.env,
    }),
  }
}

function sharedFolders({ context, policy }: CommandCall): string[] {
  return policy.shared_roots.filter((path) => isRealFolder(path) && path !== context.service_root)
}

// The hub's home may lie inside a service; what is in it is nobody's business there.
function neverCreated({ context, policy, hub }: CommandCall): string[] {
  const names = [...NEVER_CREATED, ...policy.block_patterns.filter((name) => !name.includes('*'))]
  const wanted = [...new Set(names)].filter((name) => name !== '.git/' && name !== 'node_modules/')
  return [...wanted.map((name) => join(context.service_root, name)), hub.home.folder]
}

function installedFolders(call: CommandCall): string[] {
  return [dependencyFolder(call, 'cargo'), dependencyFolder(call, 'python')].filter((path) => isFolder(path))
}

// Programs of the service's own dependencies come last: none of them can stand in for one of the system.
function ownFolders(call: CommandCall): string[] {
  const { service_root } = call.context
  return [
    ...pythonFolders(dependencyFolder(call, 'python')),
    join(service_root, '.venv', 'bin'),
    join(service_root, 'node_modules', '.bin'),
  ]
}

function pythonFolders(folder: string): string[] {
  const names = isFolder(folder) ? readdirSync(folder).slice(0, ENVIRONMENTS_MAX) : []
  return names.map((name) => join(folder, name, 'bin')).filter((path) => isFolder(path))
}

function offlineEnvironment(call: CommandCall): Record<string, string> {
  const cargo = dependencyFolder(call, 'cargo')
  const common = { CARGO_NET_OFFLINE: 'true', npm_config_offline: 'true', GOPROXY: 'off', PIP_NO_INDEX: '1' }
  return isFolder(cargo) ? { ...common, CARGO_HOME: cargo } : common
}

// As for the file tools: where a link stands on the way, there is nothing to be shown.
function isRealFolder(path: string): boolean {
  return isFolder(path) && realpathSync(path) === path
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
