import { posix, relative } from 'node:path'
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
  return new ToolFault('FileNotFound', `File ${path} does not exist.`, suggestMeant(call, path))
}

/** The same fault for whatever tool met it, with what could have been meant; any other error as it is. */
export function withMeant(call: Looking, error: unknown): unknown {
  if (!(error instanceof FileFault) || error.code !== 'FileNotFound') return error
  return new ToolFault('FileNotFound', error.message, suggestMeant(call, error.path), { cause: error })
}

function suggestMeant(call: Looking, path: string): string {
  // Names outside the documents are not for this role.
  const is_told = call.context.role !== 'product_owner'
  const meant = is_told ? [...findOtherSpelling(call, path), ...findNearNames(call, path)] : []
  const words = meant.length > 0 ? ` Did you mean ${meant.slice(0, NAMED).join(' or ')}?` : ''
  return `Check the path or use list_files to see available files.${words}`
}

/** The path without the folder of the service itself, or with / in the place of other signs. */
function findOtherSpelling({ guard, context }: Looking, path: string): string[] {
  const plain = posix.normalize(path.replaceAll('\\', '/'))
  const folders = relative(context.project_root, context.service_root).split('/')
  const spellings = [...folders.keys()]
    .map((at) => `${folders.slice(at).join('/')}/`)
    .filter((folder) => plain.startsWith(folder))
    .map((folder) => plain.slice(folder.length))
  return [plain, ...spellings].filter((other) => other !== path && exists(guard, other)).slice(0, 1)
}

function exists(guard: Guard, path: string): boolean {
  try {
    return guard.locate(path).exists
  } catch {
    return false
  }
}

/** In the same folder, with the same name but for its case or ending, or with most of it and that ending. */
function findNearNames({ guard }: Looking, path: string): string[] {
  const isMeant = (other: string) =>
    stemOf(other) === stemOf(path) ||
    (posix.extname(other) === posix.extname(path) && isNear(stemOf(other), stemOf(path)))
  try {
    const { entries } = guard.list(posix.dirname(path), { recursive: false, limit: LOOKED_AT })
    const files = entries.filter(({ kind }) => kind === 'file').map((entry) => entry.path)
    return files.filter(isMeant)
  } catch {
    return []
  }
}

function stemOf(path: string): string {
  return posix.basename(path, posix.extname(path)).toLowerCase()
}

function isNear(one: string, other: string): boolean {
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
