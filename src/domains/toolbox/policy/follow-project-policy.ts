import { join } from 'node:path'
import { parseStrictJson } from '../../../platform/basics/strict-json.ts'
import { findPath } from '../../../platform/guard/kernel/folder-calls.ts'
import { type FileState, watchFile } from '../../../platform/policy/watched-file.ts'
import { ToolFault } from '../tool-fault.ts'
import { buildPolicy } from './build-policy.ts'
import { ProjectConfig } from './config-schema.ts'
import type { ProjectPolicy } from './project-policy.ts'

/** Where the policy lies in its project. */
export const CONFIG_FILE = '.flow/config.json'

const STRICT_CONFIG = ProjectConfig.parse({})

/** What counts in a project that has no policy file: the strict defaults. */
export function strictPolicy(project_root: string): ProjectPolicy {
  return buildPolicy(project_root, STRICT_CONFIG, 'none')
}

/**
 * Follows the policy file of a project. An edit counts from the next call; while the file is damaged,
 * every answer is a fault that names it.
 */
export function followProjectPolicy(project_root: string): () => ProjectPolicy {
  const path = join(project_root, CONFIG_FILE)
  const read = watchFile(path, ProjectConfig, STRICT_CONFIG, parseStrictJson)
  let known: { state: FileState<ProjectConfig>; policy: ProjectPolicy } | undefined
  return () => {
    checkConfigFolder(project_root)
    const state = read()
    if (state.damaged !== undefined) throw configDamaged(state.damaged.slice(path.length + 2))
    if (known?.state !== state)
      known = { state, policy: buildPolicy(project_root, state.value, state.revision) }
    return known.policy
  }
}

/** Refuses on behalf of a policy file that cannot be used. */
export function configDamaged(reason: string): ToolFault {
  return new ToolFault(
    'ConfigDamaged',
    `${CONFIG_FILE} is damaged, so nothing is allowed: ${reason}.`,
    'Ask the owner of the project to mend the file; agents cannot change it.',
  )
}

/** Refuses a `.flow` that is no folder: a link leads to a policy that someone else may have written. */
export function checkConfigFolder(project_root: string): void {
  const found = findThing(join(project_root, '.flow'))
  if (found !== undefined && !found.is_folder) throw configDamaged('.flow is not a folder')
}

function findThing(path: string) {
  try {
    return findPath(path)
  } catch {
    throw configDamaged('.flow cannot be looked at')
  }
}
