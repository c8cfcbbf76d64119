import { type Dirent, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { compileNameRules, foldName, type NameRules } from '../../../platform/guard/blocked-names.ts'
import { ToolFault } from '../tool-fault.ts'
import { CLOSED_MAX, FOLDERS_MAX } from './command-limits.ts'

// Closed to the file tools, but needed by many tests.
const REPOSITORY = '.git'
// Code of others, with names of their own choosing, in far more folders than all the rest; a command cannot
// move anything closed into it, for the folders above closed names cannot be renamed during a run.
const NOT_SEARCHED = 'node_modules'
// Names that git or the hub would take for the owner's, wherever they find them.
const TRUSTED_NAMES = new Set([REPOSITORY, '.flow'])

/** What the file tools may not see below some folders. */
export interface ClosedPaths {
  /** To be covered: a test could print it otherwise. */
  readonly covered: readonly string[]
  /** Every `.git`, folder, file or link: a test may need to read it, and has nothing to write there. */
  readonly repositories: readonly string[]
  /** Whether all folders were looked through. */
  readonly is_complete: boolean
}

/**
 * Looks for closed names below the folders that a command will see. Links are not followed. `openUp` may make
 * a folder readable that is not, and says whether it did.
 */
export function findClosedPaths(
  roots: readonly string[],
  block_patterns: readonly string[],
  openUp: (folder: string) => boolean = () => false,
): ClosedPaths {
  const names = compileNameRules(block_patterns)
  const found = { covered: [] as string[], repositories: [] as string[] }
  // Level by level: what lies near the top is found first, however deep the rest is.
  const waiting = [...roots]
  for (let looked = 0; looked < waiting.length; looked++) {
    if (looked >= FOLDERS_MAX) return { ...found, is_complete: false }
    const folder = waiting[looked] ?? ''
    const entries = entriesOf(folder) ?? (openUp(folder) ? entriesOf(folder) : undefined)
    // The command, as the same user, could open it for itself.
    if (entries === undefined) found.covered.push(folder)
    for (const entry of entries ?? []) sortEntry(names, found, waiting, folder, entry)
  }
  return { ...found, is_complete: true }
}

function sortEntry(
  names: NameRules,
  found: { covered: string[]; repositories: string[] },
  waiting: string[],
  folder: string,
  entry: Dirent,
): void {
  const path = join(folder, entry.name)
  if (entry.name === REPOSITORY) found.repositories.push(path)
  else if (entry.name === NOT_SEARCHED) return
  else if (names.isClosedToLocks(entry.name)) found.covered.push(path)
  else if (entry.isDirectory()) waiting.push(path)
}

/** The same, where it has to be all: nothing is run otherwise. */
export function requireClosedPaths(roots: readonly string[], block_patterns: readonly string[]): ClosedPaths {
  const closed = findClosedPaths(roots, block_patterns)
  if (!closed.is_complete) throw tooMany(`more than ${FOLDERS_MAX} folders`)
  if (closed.covered.length + closed.repositories.length > CLOSED_MAX) {
    throw tooMany(`more than ${CLOSED_MAX} closed files and folders`)
  }
  return closed
}

function tooMany(what: string): ToolFault {
  return new ToolFault(
    'NotSupported',
    `The service has ${what}; they cannot all be covered, so nothing was run.`,
    'Ask the owner to move secrets out of the service, or to name a smaller folder as service.',
  )
}

/** Those of some closed paths that git or the hub would believe. */
export function trustedPaths({ covered, repositories }: ClosedPaths): string[] {
  return [...covered, ...repositories].filter((path) => TRUSTED_NAMES.has(foldName(basename(path))))
}

function entriesOf(folder: string): Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? undefined : [] // Gone, or no folder any more.
  }
}
