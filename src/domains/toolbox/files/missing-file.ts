import { posix } from 'node:path'
import { FileFault, type Guard } from '../../../platform/guard/guard.ts'
import type { ToolContext } from '../tool-context.ts'
import { ToolFault } from '../tool-fault.ts'

const LOOKED_AT = 500
const NAMED = 3

/** What looking for other names needs. */
interface Looking {
  readonly guard: Guard
  readonly context: ToolContext
}

/** Says what else is there where a file is missing. */
export function orMissing<Result>(call: Looking, path: string, act: () => Result): Result {
  try {
    return act()
  } catch (error) {
    if (error instanceof FileFault && error.code === 'FileNotFound') throw missingFile(call, path)
    throw error
  }
}

/** There is no such file; names files that could have been meant. */
export function missingFile(call: Looking, path: string): ToolFault {
  const near = findNearNames(call, path)
  const meant = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''
  return new ToolFault(
    'FileNotFound',
    `File ${path} does not exist.`,
    `Check the path or use list_files to see available files.${meant}`,
  )
}

/** In the same folder, with the same name but for its case or ending, or with most of it. */
function findNearNames({ guard, context }: Looking, path: string): string[] {
  // Names outside the documents are not for this role.
  if (context.role === 'product_owner') return []
  const name = stemOf(path)
  try {
    const { entries } = guard.list(posix.dirname(path), { recursive: false, limit: LOOKED_AT })
    const files = entries.filter(({ kind }) => kind === 'file').map((entry) => entry.path)
    return files.filter((other) => isNear(stemOf(other), name)).slice(0, NAMED)
  } catch {
    return []
  }
}

function stemOf(path: string): string {
  return posix.basename(path, posix.extname(path)).toLowerCase()
}

function isNear(one: string, other: string): boolean {
  if (one === other) return true
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  return short.length >= 3 && long.length - short.length <= 3 && differences(short, long) <= 1
}

/** How many letters differ between the equal beginnings and the equal ends of two names. */
function differences(short: string, long: string): number {
  let start = 0
  while (start < short.length && short[start] === long[start]) start += 1
  let end = 0
  while (end < short.length - start && short.at(-1 - end) === long.at(-1 - end)) end += 1
  return short.length - start - end
}
