import { type Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { compileNameRules, type NameRules } from '../../../platform/guard/blocked-names.ts'
import { ToolFault } from '../tool-fault.ts'
import { CLOSED_MAX, FOLDERS_MAX } from './command-limits.ts'

// Closed to the file tools, but needed by every test; they hold code of others, not this service's secrets.
const NEEDED = new Set(['node_modules', '.git'])
const NOT_SEARCHED = new Set([...NEEDED, '.venv', 'target', '__pycache__'])

/**
 * Finds what the file tools may not see below the folders that a command will see, so that it can be
 * covered: a test could print it otherwise. Links are not followed.
 */
export function closedPathsBelow(roots: readonly string[], block_patterns: readonly string[]): string[] {
  const names = compileNameRules(block_patterns)
  const closed: string[] = []
  const waiting = [...roots]
  for (let looked = 0; waiting.length > 0; looked++) {
    const folder = waiting.pop() ?? ''
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name)
      if (isToCover(names, entry.name)) closed.push(path)
      else if (entry.isDirectory() && !NOT_SEARCHED.has(entry.name)) waiting.push(path)
    }
    if (closed.length > CLOSED_MAX) throw tooMany(`more than ${CLOSED_MAX} closed files and folders`)
    if (looked >= FOLDERS_MAX) throw tooMany(`more than ${FOLDERS_MAX} folders`)
  }
  return closed
}

function isToCover(names: NameRules, name: string): boolean {
  return names.isClosedToLocks(name) && !NEEDED.has(name)
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return [] // Gone, or not readable by us and so not by the command either.
  }
}

function tooMany(what: string): ToolFault {
  return new ToolFault(
    'NotSupported',
    `The service has ${what}; they cannot all be covered, so nothing was run.`,
    'Ask the owner to move secrets out of the service, or to name a smaller folder as service.',
  )
}
