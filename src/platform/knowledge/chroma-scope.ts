import type { ChromaMetadata, ChromaWhere } from './chroma-collection.ts'
import type { KnowledgeScope } from './knowledge.ts'

/** Folders that are told apart; what lies deeper is found by the last of them, and looked at again after. */
const DEPTH_MAX = 24

/** The folders of a path as Chroma can compare them: it knows equal texts, and no beginnings of texts. */
export function foldersOf(path: string): ChromaMetadata {
  const folders: Record<string, string> = {}
  let end = path.indexOf('/')
  for (let depth = 1; end !== -1 && depth <= DEPTH_MAX; depth++) {
    folders[`in_${depth}`] = path.slice(0, end + 1)
    end = path.indexOf('/', end + 1)
  }
  return folders
}

/** A scope in Chroma's words; nothing where all is meant. */
export function whereOf({ prefixes, kinds }: KnowledgeScope): ChromaWhere | undefined {
  const places = prefixes.includes('') ? [] : [anyOf(prefixes.map(placeOf))]
  return allOf([...places, ...(kinds ? [{ kind: { $in: [...kinds] } }] : [])])
}

/** Whether a path is in a scope. */
export function isInScope(path: string, { prefixes }: KnowledgeScope): boolean {
  return prefixes.some((prefix) => path.startsWith(prefix))
}

function placeOf(prefix: string): ChromaWhere {
  if (!prefix.endsWith('/')) return { path: prefix }
  const parts = prefix.split('/')
  const depth = Math.min(parts.length - 1, DEPTH_MAX)
  return { [`in_${depth}`]: `${parts.slice(0, depth).join('/')}/` }
}

/** One of the conditions. There has to be one. */
export function anyOf(conditions: readonly ChromaWhere[]): ChromaWhere {
  return conditions.length === 1 ? (conditions[0] as ChromaWhere) : { $or: conditions }
}

function allOf(conditions: readonly ChromaWhere[]): ChromaWhere | undefined {
  return conditions.length > 1 ? { $and: conditions } : conditions[0]
}
