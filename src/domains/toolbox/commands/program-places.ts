import { existsSync, lstatSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path'
import type { SandboxMount } from '../../../platform/sandbox/sandbox.ts'
import { TreeUnsound } from '../../../platform/trees/folder-chain.ts'
import { ownerPlace } from '../../../platform/trees/owner-place.ts'
import { TOOLCHAIN_FOLDERS_MAX } from './command-limits.ts'

/** The folders that programs of the host are taken from, all of them the owner's to name. */
export interface ProgramPlaces {
  readonly folders: readonly string[]
}

const SYSTEM_FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/local/go/bin', '/usr/local/cargo/bin']
// What lies beside a `bin` folder and belongs to the programs in it.
const COMPANIONS = ['lib', 'lib64', 'libexec', 'include', 'pkg', 'src']
const SHOWN_ANYWAY = /^\/(?:usr|bin|sbin)\//

/**
 * The places on this machine: what the owner names in KNOWTATION_TOOLCHAIN_PATH, the folder of the Node
 * that runs the hub, and the system's own.
 */
export function programPlaces(env: NodeJS.ProcessEnv, node_path = process.execPath): ProgramPlaces {
  const named = (env.KNOWTATION_TOOLCHAIN_PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  const folders = [...named.slice(0, TOOLCHAIN_FOLDERS_MAX), dirname(node_path), ...SYSTEM_FOLDERS]
  return {
    folders: [...new Set(folders.filter((folder) => existsSync(folder)).flatMap(placeOf))],
  }
}

// A command could put a link in the place of one that lies where it may write, and see what is behind it the next time.
function placeOf(folder: string): string[] {
  try {
    return [ownerPlace(folder)]
  } catch (error) {
    if (error instanceof TreeUnsound) return []
    throw error
  }
}

/** What a sandbox has to show beside the system's folders for the programs of these places to run. */
export function programMounts({ folders }: ProgramPlaces): SandboxMount[] {
  const outside = folders.filter((folder) => !SHOWN_ANYWAY.test(`${folder}/`) && !holdsHome(folder))
  const paths = outside.flatMap((folder) => [folder, ...companionsOf(folder)])
  return [...new Set(paths)].map((path) => ({ path, access: 'read', is_real: true }))
}

// Beside `~/bin` lies a whole home folder: nothing of it belongs to the programs.
function companionsOf(folder: string): string[] {
  const prefix = dirname(folder)
  if (basename(folder) !== 'bin' || holdsHome(prefix)) return []
  const beside = COMPANIONS.map((name) => join(prefix, name))
  return beside.filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory())
}

function holdsHome(folder: string): boolean {
  return folder === '/' || `${homedir()}/`.startsWith(`${folder}/`)
}
