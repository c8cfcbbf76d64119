import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { ensurePrivateFolder } from '../../../platform/basics/private-file.ts'
import type { CommandCall } from './command-call.ts'

/**
 * Where dependencies of a service lie that do not belong into it: in the hub's own home, where no tool of
 * an agent can change them between their installation and their use.
 */
export function dependencyFolder(call: CommandCall, kind: 'cargo' | 'python'): string {
  const service = createHash('sha256').update(call.context.service_root).digest('hex').slice(0, 32)
  return join(call.hub.home.folder, 'dependencies', service, kind)
}

/** The same folder, made if need be. */
export function ensureDependencyFolder(call: CommandCall, kind: 'cargo' | 'python'): string {
  const folder = dependencyFolder(call, kind)
  ensurePrivateFolder(folder)
  return folder
}
