import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { compileNameRules, foldName, type NameRules } from '../../../platform/guard/blocked-names.ts'
import { isHead, isRepository } from '../../../platform/guard/repository-pieces.ts'
import { ToolFault } from '../tool-fault.ts'
import { CLOSED_MAX, FOLDERS_MAX } from './command-limits.ts'
import { type OddFolder, oddFoldersIn, searchOddFolders } from './odd-folders.ts'

// Closed to the file tools, but needed by many tests.
const REPOSITORY = '.git'
// Code of others, with names of their own choosing, in far more folders than all the rest; a command cannot
// move anything closed into it, for the folders above closed names cannot be renamed during a run.
const NOT_SEARCHED = 'node_modules'
// What Node puts for bytes that are no UTF-8.
const NO_TEXT = '\uFFFD'
// Names that git or the hub would take for the owner's, wherever they find them.
const TRUSTED_NAMES = new Set([REPOSITORY, '.flow'])

/** What the file tools may not see below some folders. */
export interface ClosedPaths {
  /** To be covered: a test could print it otherwise. */
  readonly covered: readonly string[]
  /** Every `.git`, folder, file or link: a test may need to read it, and has nothing to write there. */
  readonly repositories: readonly string[]
  /** Every folder that git takes for a repository by what lies in it, without a `.git`. */
  readonly bare: readonly string[]
  /** Every file that git would find as `HEAD`, whatever lies beside it. */
  readonly heads: readonly string[]
  /** Folders that no path leads to; they were not looked into. */
  readonly odd: readonly OddFolder[]
  /** Whether all other folders were looked through. */
  readonly is_complete: boolean
}

/** What a look after a run does that one before it does not. */
interface LookAfter {
  /** May make a folder readable that is not, and says whether it did. */
  openUp(folder: string): boolean
  /** Whether to look into a closed folder too. */
  enters(folder: string): boolean
}

const LOOK_BEFORE: LookAfter = { openUp: () => false, enters: () => false }

/** Looks for closed names below the folders that a command will see. Links are not followed. */
export function findClosedPaths(
  roots: readonly string[],
  block_patterns: readonly string[],
  { openUp, enters } = LOOK_BEFORE,
): ClosedPaths {
  const names = compileNameRules(block_patterns)
  const found: Found = { covered: [], repositories: [], bare: [], heads: [], odd: [] }
  // Level by level: what lies near the top is found first, however deep the rest is.
  const waiting = [...roots]
  for (let looked = 0; looked < waiting.length; looked++) {
    if (looked >= FOLDERS_MAX) return { ...found, is_complete: false }
    const folder = waiting[looked] ?? ''
    const list = () => entriesOf(folder, found)
    const entries = list() ?? (openUp(folder) ? list() : undefined)
    // The command, as the same user, could open it for itself.
    if (entries === undefined) found.covered.push(folder)
    if (entries !== undefined) addPieces(found, folder, entries)
    for (const entry of entries ?? []) {
      const path = join(folder, entry.name)
      const is_open = sortEntry(names, found, path, entry)
      if (entry.isDirectory() && (is_open || (entry.name !== NOT_SEARCHED && enters(path))))
        waiting.push(path)
    }
  }
  return { ...found, is_complete: true }
}

interface Found {
  readonly covered: string[]
  readonly repositories: string[]
  readonly bare: string[]
  readonly heads: string[]
  readonly odd: OddFolder[]
}

function addPieces(found: Found, folder: string, entries: readonly Dirent[]): void {
  const is_bare = isRepository(entries)
  if (is_bare) found.bare.push(folder)
  const heads = entries.filter(isHead).map(({ name }) => name)
  if (heads.length === 0) return
  // A program may be called `head`: that is another name, where the file system tells the cases apart.
  const has_any = is_bare || lstatSync(join(folder, 'HEAD'), { throwIfNoEntry: false }) !== undefined
  const own = !is_bare && heads.includes('HEAD') ? ['HEAD'] : heads
  if (has_any) found.heads.push(...own.map((name) => join(folder, name)))
}

/** Answers whether the name is open. */
function sortEntry(names: NameRules, found: Found, path: string, { name }: Dirent): boolean {
  if (name === REPOSITORY) found.repositories.push(path)
  else if (name !== NOT_SEARCHED && names.isClosedToLocks(name)) found.covered.push(path)
  else return name !== NOT_SEARCHED
  return false
}

/** The same, where it has to be all: nothing is run otherwise. */
export function requireClosedPaths(roots: readonly string[], block_patterns: readonly string[]): ClosedPaths {
  const closed = findClosedPaths(roots, block_patterns)
  if (!closed.is_complete) throw tooMany(`more than ${FOLDERS_MAX} folders`)
  if (closed.covered.length + closed.repositories.length + closed.bare.length > CLOSED_MAX) {
    throw tooMany(`more than ${CLOSED_MAX} closed files and folders`)
  }
  const names = compileNameRules(block_patterns)
  const isClosed = (name: string) => name !== NOT_SEARCHED && names.isClosedToLocks(name)
  const odd = searchOddFolders(closed.odd, { isClosed, moves: false })
  if (odd.shown.length > 0 || !odd.is_complete)
    throw tooMany('closed files in a folder whose name is no text or whose path is too long')
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
  return [...covered, ...repositories].filter((path) => isTrustedName(basename(path)))
}

export function isTrustedName(name: string): boolean {
  return TRUSTED_NAMES.has(foldName(name))
}

function entriesOf(folder: string, { odd }: Found): Dirent[] | undefined {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    if (entries.some(({ name }) => name.includes(NO_TEXT))) odd.push(...oddFoldersIn(folder))
    return entries
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENAMETOOLONG') odd.push({ above: dirname(folder), name: Buffer.from(basename(folder)) })
    return code === 'EACCES' ? undefined : [] // Gone, or no folder any more.
  }
}
