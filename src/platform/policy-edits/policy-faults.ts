import type { Document, LineCounter, Node } from 'yaml'
import type { z } from 'zod'
import { VaultPolicy } from '../policy/vault-policy.ts'
import { loadYaml, MAX_ALIASES } from '../policy/watched-file.ts'

const FAULT_LIMIT = 100

/** One thing that makes a policy damaged, with where it stands. */
export interface PolicyFault {
  readonly line: number
  readonly column: number
  /** The place in the policy, such as `external_agent.allowed_tools.2.provider`. */
  readonly at: string
  readonly message: string
}

type Path = readonly PropertyKey[]

/** Everything that is wrong with a text as the policy of a vault. Empty where it would count. */
export function findPolicyFaults(text: string): PolicyFault[] {
  const { LineCounter: Counter, parseDocument } = loadYaml()
  const lines = new Counter()
  const document = parseDocument(text, { lineCounter: lines, logLevel: 'error', prettyErrors: false })
  if (document.errors.length > 0)
    return document.errors
      .slice(0, FAULT_LIMIT)
      .map(({ message, pos }) => ({ ...placeAt(lines, pos[0]), at: '', message: oneLine(message) }))
  return findSchemaFaults(document, lines)
}

function findSchemaFaults(document: Document, lines: LineCounter): PolicyFault[] {
  try {
    const parsed = VaultPolicy.safeParse(document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {})
    const issues = parsed.error?.issues ?? []
    return issues.flatMap(spread).slice(0, FAULT_LIMIT).map(faultOf)
  } catch (error) {
    // Aliases that multiply without end, or a stack of collections that no reader follows.
    return [{ line: 1, column: 1, at: '', message: oneLine((error as Error).message) }]
  }

  function faultOf({ path, message }: Pick<z.core.$ZodIssue, 'path' | 'message'>): PolicyFault {
    return { ...placeAt(lines, offsetOf(document, path)), at: path.map(String).join('.'), message }
  }
}

/** Keys that are not known are named one by one, each where it stands. */
function spread(issue: z.core.$ZodIssue): Pick<z.core.$ZodIssue, 'path' | 'message'>[] {
  if (issue.code !== 'unrecognized_keys') return [issue]
  return issue.keys.map((key) => ({ path: [...issue.path, key], message: 'is not a known setting' }))
}

function placeAt(lines: LineCounter, offset: number): Pick<PolicyFault, 'line' | 'column'> {
  const { line, col } = lines.linePos(offset)
  return { line: Math.max(1, line), column: Math.max(1, col) }
}

/** Where the last part of a path that is there stands in the text. */
function offsetOf(document: Document, path: Path): number {
  const { isAlias, isMap, isScalar, isSeq } = loadYaml()
  let node: unknown = document.contents
  let offset = startOf(node)
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document)
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => (isScalar(key) ? key.value : key) === step)
      if (!pair) return offset
      offset = startOf(pair.key)
      node = pair.value
    } else if (isSeq(node) && typeof step === 'number' && step < node.items.length) {
      node = node.items[step]
      offset = startOf(node)
    } else return offset
  }
  return offset
}

/** The line in which a place of a policy stands, or what is nearest above it. */
export function lineOfPath(text: string, path: Path): number {
  const { LineCounter: Counter, parseDocument } = loadYaml()
  const lines = new Counter()
  const document = parseDocument(text, { lineCounter: lines, logLevel: 'error' })
  return placeAt(lines, offsetOf(document, path)).line
}

function startOf(node: unknown): number {
  return (node as Node | null)?.range?.[0] ?? 0
}

function oneLine(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/:$/, '')
}

/** A fault as a person reads it. */
export function faultLine(path: string, { line, at, message }: PolicyFault): string {
  return `${path}:${line}: ${at === '' ? '' : `${at}: `}${message}`
}
