import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, constants, fstatSync, openSync, readlinkSync, renameSync } from 'node:fs'
import { basename, dirname, relative } from 'node:path'
import { openFolder } from '../../../platform/sandbox/placeholder.ts'
import { ToolFault } from '../tool-fault.ts'
import { type ClosedPaths, findClosedPaths, trustedPaths } from './closed-paths-below.ts'
import type { CommandCall } from './command-call.ts'
import { FOLDERS_MAX } from './command-limits.ts'

const SHOWN = 10
const OWNER_ALL = 0o700
// O_PATH, which Node does not name: no right to the folder itself is needed.
const HANDLE_ONLY = 0o10000000

/**
 * Looks after a run for repositories and policies that were not there before it, and moves them aside: git
 * runs what the settings of a repository say, with the rights of whoever calls it in there. Moved, not
 * removed: they may be somebody else's who worked in the service at the same time.
 */
export function movePlanted({ context, policy }: CommandCall, before: ClosedPaths): ToolFault | undefined {
  const { service_root } = context
  const known = new Set([...before.covered, ...before.repositories])
  const openUp = (folder: string): boolean => !known.has(folder) && openForUs(service_root, folder)
  const after = findClosedPaths([service_root], policy.block_patterns, openUp)
  // In the service's own folder none can be made during a run; what stands there is the owner's.
  const planted = trustedPaths(after).filter((path) => !known.has(path) && dirname(path) !== service_root)
  const moved = planted.map((path) => {
    const fate = moveAside(path, () => openUp(dirname(path)))
    return { path: relative(service_root, path), fate }
  })
  if (moved.length > 0) return foundPlanted(moved)
  // A run that leaves too much to be looked through could hide one.
  return after.is_complete ? undefined : leftTooMuch()
}

function moveAside(path: string, openUp: () => boolean): string {
  const aside = `${basename(path)}.aside-${randomBytes(4).toString('hex')}`
  try {
    rename(path, aside)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES' && openUp()) return moveAside(path, () => false)
    return `still there: ${code ?? 'it was moved meanwhile'}`
  }
  return `now ${aside}`
}

function rename(path: string, name: string): void {
  const folder_fd = openFolder(dirname(path))
  try {
    renameSync(`/proc/self/fd/${folder_fd}/${basename(path)}`, `/proc/self/fd/${folder_fd}/${name}`)
  } finally {
    closeSync(folder_fd)
  }
}

// By the modes of the folders above, a command could hide from us what the owner would still meet.
function openForUs(root: string, folder: string): boolean {
  if (!folder.startsWith(`${root}/`)) return false
  const allow = (): boolean => allowAll(folder)
  return allow() || (openForUs(root, dirname(folder)) && allow())
}

function allowAll(folder: string): boolean {
  try {
    const fd = openSync(folder, HANDLE_ONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    try {
      const handle = `/proc/self/fd/${fd}`
      if (readlinkSync(handle) !== folder) return false
      chmodSync(handle, fstatSync(fd).mode | OWNER_ALL)
      return true
    } finally {
      closeSync(fd)
    }
  } catch {
    return false // Somebody else's, or behind a folder that is closed itself.
  }
}

function foundPlanted(moved: readonly { path: string; fate: string }[]): ToolFault {
  const shown = moved.slice(0, SHOWN).map(({ path, fate }) => `${path} (${fate})`)
  const more = moved.length > SHOWN ? ` and ${moved.length - SHOWN} more` : ''
  return violation(
    `The command left what only the owner may make: ${shown.join(', ')}${more}.`,
    'Make repositories and .flow folders for tests below /tmp; the output is in the details.',
    moved[0]?.path ?? null,
  )
}

function leftTooMuch(): ToolFault {
  return violation(
    `The command left more than ${FOLDERS_MAX} folders, too many to look for repositories in all of them.`,
    'Have the command clean up after itself, or write below /tmp; the output is in the details.',
    null,
  )
}

function violation(message: string, suggestion: string, target_path: string | null): ToolFault {
  return new ToolFault('SecurityError', message, suggestion, {
    violation: { violation_type: 'planted_repository', target_path, command_args: [] },
  })
}
