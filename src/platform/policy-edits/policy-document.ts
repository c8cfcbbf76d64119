import type { Document, Node, YAMLMap, YAMLSeq } from 'yaml'
import { loadYaml, MAX_ALIASES } from '../policy/watched-file.ts'
import { keepUntouched } from './keep-untouched.ts'

export type PolicyPath = readonly (string | number)[]

/** A place that only its owner can change: what stands there is written so that a change would touch more. */
export class PolicyUneditable extends Error {
  override readonly name = 'PolicyUneditable'
}

/** A policy as its owner wrote it, to be changed at single places. */
export interface PolicyDocument {
  /** What stands at a place, as plain data. */
  get(path: PolicyPath): unknown
  /** Writes a value; what is missing above it is made. */
  set(path: PolicyPath, value: unknown): void
  /** Adds a value to the end of a list. */
  append(path: PolicyPath, value: unknown): void
  /** Takes an entry out. Answers whether there was one. */
  remove(path: PolicyPath): boolean
  /** Where a tool of the allowlist stands. */
  findTool(id: string): PolicyPath | undefined
  /** Where a named provider stands. */
  findProvider(name: string): PolicyPath | undefined
  /** The text with all changes. */
  text(): string
}

export const TOOLS: PolicyPath = ['external_agent', 'allowed_tools']
export const PROVIDERS: PolicyPath = ['external_agent', 'providers']

type Collection = YAMLMap<unknown, unknown> | YAMLSeq

/** Opens a policy. Throws `PolicyUneditable` where the text is no YAML document; it may be damaged otherwise. */
export function openPolicyDocument(text: string): PolicyDocument {
  const document = parse(text)
  const plain = () => (document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {}) as unknown
  const get = (path: PolicyPath) => path.reduce<unknown>((held, step) => ownValue(held, step), plain())
  return {
    get,
    set: (path, value) => setAt(document, path, value),
    append(path, value) {
      const list = ensureList(document, path)
      // An empty list that was written as [] goes on as the others are written.
      if (list.items.length === 0) list.flow = false
      list.add(document.createNode(value))
    },
    remove: (path) => removeAt(document, path),
    findTool(id) {
      const tools = get(TOOLS)
      if (!Array.isArray(tools)) return undefined
      const at = tools.findIndex((tool) => tool === id || ownValue(tool, 'id') === id)
      return at < 0 ? undefined : [...TOOLS, at]
    },
    findProvider: (name) => (ownValue(get(PROVIDERS), name) === undefined ? undefined : [...PROVIDERS, name]),
    text: () => keepUntouched(text, render(parse(text), text), render(document, text)),
  }
}

function parse(text: string): Document {
  const document = loadYaml().parseDocument(text, { logLevel: 'error' }) as Document
  const fault = document.errors[0]
  if (fault) throw new PolicyUneditable(fault.message.split('\n')[0])
  return document
}

/** As its owner writes: lists stand further in than their key or do not, and JSON stays JSON. */
function render(document: Document, text: string): string {
  const isFlush = /^( *)[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\n\1- /m.test(text)
  const quotes = { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE' } as const
  return document.toString({ lineWidth: 0, indentSeq: !isFlush, ...(/^\s*\{/.test(text) && quotes) })
}

function ownValue(held: unknown, step: string | number): unknown {
  if (typeof held !== 'object' || held === null || !Object.hasOwn(held, step)) return undefined
  return (held as Record<string | number, unknown>)[step]
}

function setAt(document: Document, path: PolicyPath, value: unknown): void {
  const { isScalar } = loadYaml()
  const step = path.at(-1)
  if (step === undefined) throw new PolicyUneditable('The whole policy is not one place.')
  const above = ensureMap(document, path.slice(0, -1))
  const held = above.get(step, true)
  if (isScalar(held) && (typeof value !== 'object' || value === null)) held.value = value
  else above.set(step, withWordsOf(held, document.createNode(value)))
}

/** What is put in the place of something keeps the remarks that stood there. */
function withWordsOf(former: unknown, node: Node): Node {
  const { isNode } = loadYaml()
  if (!isNode(former)) return node
  const { comment, commentBefore, spaceBefore } = former
  return Object.assign(node, { comment, commentBefore, ...(spaceBefore && { spaceBefore }) })
}

/** What was remarked above an entry may be about more than it, and stays. */
function removeAt(document: Document, path: PolicyPath): boolean {
  const above = findCollection(document, path.slice(0, -1))
  const at = above && indexIn(above, path.at(-1))
  if (!above || at === undefined) return false
  const remark = headOf(above.items[at])?.commentBefore
  above.items.splice(at, 1)
  const next = headOf(above.items[at])
  // Between a key and its first entry no line is left blank.
  if (next && at === 0) next.spaceBefore = false
  if (!remark) return true
  if (next) next.commentBefore = joined(remark, next.commentBefore)
  else above.comment = joined(above.comment, remark)
  return true
}

function indexIn({ items }: Collection, step: string | number | undefined): number | undefined {
  const { isPair, isScalar } = loadYaml()
  const isIt = (item: unknown, at: number) =>
    isPair(item) ? (isScalar(item.key) ? item.key.value : item.key) === step : at === step
  const at = items.findIndex(isIt)
  return at < 0 ? undefined : at
}

/** The node that remarks above an entry hang on. */
function headOf(item: unknown): Node | undefined {
  const { isNode, isPair } = loadYaml()
  const head = isPair(item) ? item.key : item
  return isNode(head) ? head : undefined
}

function joined(...remarks: (string | null | undefined)[]): string {
  return remarks.filter(Boolean).join('\n')
}

function ensureMap(document: Document, path: PolicyPath): Collection {
  const root = ensureRoot(document)
  return path.reduce<Collection>((above, step) => {
    const held = above.get(step, true)
    if (isCollection(held)) return held
    if (!isNothing(held)) throw new PolicyUneditable(`${path.join('.')} is not a block of its own.`)
    const made = withWordsOf(held, document.createNode({})) as Collection
    above.set(step, made)
    return made
  }, root)
}

function ensureList(document: Document, path: PolicyPath): YAMLSeq {
  const { isSeq } = loadYaml()
  const above = ensureMap(document, path.slice(0, -1))
  const held = above.get(path.at(-1), true)
  if (isSeq(held)) return held
  if (!isNothing(held)) throw new PolicyUneditable(`${path.join('.')} is not a list of its own.`)
  const made = withWordsOf(held, document.createNode([])) as YAMLSeq
  above.set(path.at(-1), made)
  return made
}

function ensureRoot(document: Document): Collection {
  const { contents } = document
  if (isCollection(contents)) return contents
  if (!isNothing(contents)) throw new PolicyUneditable('The policy is not a block of settings.')
  const made = document.createNode({}) as Collection
  document.contents = made
  // Remarks in a file that says nothing else stand above what comes.
  document.commentBefore = joined(document.commentBefore, document.comment) || null
  document.comment = null
  return made
}

function findCollection(document: Document, path: PolicyPath): Collection | undefined {
  let held: unknown = document.contents
  for (const step of path) held = isCollection(held) ? held.get(step, true) : undefined
  return isCollection(held) ? held : undefined
}

function isCollection(node: unknown): node is Collection {
  const { isMap, isSeq } = loadYaml()
  return isMap(node) || isSeq(node)
}

function isNothing(node: unknown): boolean {
  const { isScalar } = loadYaml()
  return node === undefined || node === null || (isScalar(node) && node.value === null)
}
