import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { tryQuietly } from '../guard/faults.ts'
import { TreeUnsound } from './folder-chain.ts'

/** What makes a folder a project that agents have seats in. */
const PROJECT_MARK = '.flow'
/** As many links as the kernel follows. */
const LINKS_MAX = 40
/** Folders of the system, which hold nothing of anybody's. */
const SYSTEM = /^\/(usr|bin|sbin|lib|lib32|lib64|libx32|nix\/store)\//

export function isOfSystem(path: string): boolean {
  return SYSTEM.test(path)
}

export function isInProject(folder: string): boolean {
  if (existsSync(join(folder, PROJECT_MARK))) return true
  const above = dirname(folder)
  return above !== folder && isInProject(above)
}

/**
 * Where a whole path that the owner has named really leads. Links of the owner's are followed. One that stands in a
 * project may be of an agent's making, to have shown what the owner did not name: it may lead to the system alone.
 */
export function ownerPlace(path: string): string {
  const names = path.split(sep)
  let real: string = sep
  let links = 0
  let is_agents = false
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const next = join(real, name)
    if (!isLink(next)) {
      real = next
      continue
    }
    if (++links > LINKS_MAX) throw new TreeUnsound(`Too many links stand on the way to ${path}.`)
    is_agents ||= isInProject(real)
    const target = readlinkSync(next)
    if (target.startsWith(sep)) real = sep
    names.unshift(...target.split(sep))
  }
  if (is_agents && !isOfSystem(real))
    throw new TreeUnsound(`A link in a project stands on the way to ${path}.`, true)
  return real
}

/** What cannot be looked at is told of by whoever opens it. */
function isLink(path: string): boolean {
  return tryQuietly(() => lstatSync(path))?.isSymbolicLink() === true
}
