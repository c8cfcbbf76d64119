import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, constants, fstatSync, openSync, readlinkSync, renameSync } from 'node:fs'
import { basename, dirname, relative } from 'node:path'
import { openFolder } from '../../../platform/sandbox/mount-point.ts'
import { ToolFault } from '../tool-fault.ts'
import { type ClosedPaths, findClosedPaths, isTrustedName, trustedPaths } from './closed-paths-below.ts'
import type { CommandCall } from './command-call.ts'
import { FOLDERS_MAX } from './command-limits.ts'
import { searchOddFolders } from './odd-folders.ts'

const SHOWN = 10
const ODD = 'in a folder whose name is no text or whose path is too long'
const OWNER_ALL = 0o700
// O_PATH, which Node does not name: no right to the folder itself is needed.
const HANDLE_ONLY = 0o10000000

/** What git or the hub would believe in a service before a run: all of it the owner's. */
export type KnownPaths = ReadonlySet<string>

export function knownPaths({ covered, repositories, bare, heads }: ClosedPaths): KnownPaths {
  return new Set([...covered, ...repositories, ...bare, ...heads])
}

/** What a look after a run has come to. */
export interface LookedAfter {
  readonly fault: ToolFault | undefined
  /** Whether everything was looked through and nothing was left where it was. */
  readonly is_over: boolean
}

/**
 * Looks after a run for repositories and policies that were not there before it, and moves them aside: git
 * runs what the settings of a repository say, with the rights of whoever calls it in there. Moved, not
 * removed: they may be somebody else's who worked in the service at the same time. Without a HEAD git takes no folder
 * for a repository, so each new one is moved, also of a `.git` that was moved aside, and also a lone one: a branch could
 * bring the rest of a repository.
 */
export function movePlanted({ context, policy, hub }: CommandCall, known: KnownPaths): LookedAfter {
  const { service_root } = context
  const isOwners = (path: string): boolean =>
    known.has(path) || isOfHub(path, hub.home.folder) || isTrustedAtTop(path, service_root)
  const openUp = (folder: string): boolean => !known.has(folder) && openForUs(service_root, folder)
  const enters = (folder: string): boolean => !isOwners(folder)
  const after = findClosedPaths([service_root], policy.block_patterns, { openUp, enters })
  const moved = plantedPaths(after, isOwners).map((path) => {
    return { path: relative(service_root, path), ...moveAside(path, () => openUp(dirname(path))) }
  })
  // Before the run nothing of the kind was there, or it had not been run.
  const odd = searchOddFolders(after.odd, { isClosed: isTrustedName, moves: true })
  moved.push(...odd.shown.map((name) => ({ path: `${ODD}: ${name}`, fate: 'moved aside', is_moved: true })))
  if (!odd.is_complete) moved.push({ path: ODD, fate: 'could not be looked through', is_moved: false })
  const is_over = after.is_complete && moved.every(({ is_moved }) => is_moved)
  if (moved.length > 0) return { fault: foundPlanted(moved), is_over }
  // A run that leaves too much to be looked through could hide one.
  return { fault: after.is_complete ? undefined : leftTooMuch(), is_over }
}

// In the service's own folder none of these can be made during a run; what stands there is the owner's.
function isTrustedAtTop(path: string, service_root: string): boolean {
  return dirname(path) === service_root && isTrustedName(basename(path))
}

// The hub's home may lie inside a service; a run sees nothing of it.
function isOfHub(path: string, home: string): boolean {
  return path === home || path.startsWith(`${home}/`)
}

/** Those that lie deeper first: what is moved takes along what is in it. */
function plantedPaths(after: ClosedPaths, isOwners: (path: string) => boolean): string[] {
  const named = trustedPaths(after).filter((path) => !isOwners(path))
  const bare = new Set(after.bare.filter((folder) => !isOwners(folder)))
  // One that was there before goes too where a repository was made around it.
  const heads = after.heads.filter((path) => !isOwners(path) || bare.has(dirname(path)))
  return [...named, ...heads].toSorted((a, b) => depthOf(b) - depthOf(a))
}

function depthOf(path: string): number {
  return path.split('/').length
}

function moveAside(path: string, openUp: () => boolean): { fate: string; is_moved: boolean } {
  const aside = `${basename(path)}.aside-${randomBytes(4).toString('hex')}`
  try {
    rename(path, aside)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES' && openUp()) return moveAside(path, () => false)
    return { fate: `still there: ${code ?? 'it was moved meanwhile'}`, is_moved: false }
  }
  return { fate: `now ${aside}`, is_moved: true }
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
