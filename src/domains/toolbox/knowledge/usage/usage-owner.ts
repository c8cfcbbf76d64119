import type { SgNode } from '@ast-grep/napi'
import type { UsageSymbol } from './tree-job.ts'
import { receiverType } from './usage-go.ts'
import { findField, isPartOf, type UsageGrammar, type UsageKind } from './usage-grammar.ts'

const CLIMB_LIMIT = 200
const CARRIED_LIMIT = 8
const BOUND_LIMIT = 200
const OWNER_NODES_LIMIT = 500
const TEXT_LIMIT = 4_000
const WORDS = /[\p{ID_Start}_$#][\p{ID_Continue}$]*/gu

/** `Owner.prototype` in JavaScript and `Owner.this` in Java stand for the owner. */
const OWNER_ITSELF = new Set(['prototype', 'this'])

/** Tells whether a name belongs to the owner that a qualified symbol names. */
export interface OwnerCheck {
  isOwned(node: SgNode, kind: UsageKind): boolean
}

/** Looks over a file once for what the owner is called in it. */
export function openOwnerCheck(
  root: SgNode,
  grammar: UsageGrammar,
  path: string,
  { name, qualifiers }: UsageSymbol,
): OwnerCheck {
  const owner = qualifiers.at(-1) as string
  const bound = namesBoundTo(root, grammar, owner)
  const named = findNamed(root, grammar, name)
  // In a file that is called as its class, a member of the class is meant and not what else has the name.
  const is_own_module = grammar.moduleNames(root, path).includes(owner) && !named.some(isMember)
  const is_imported = named.some((node) => isImportedFrom(node, grammar, owner))

  function isMember(node: SgNode): boolean {
    return endsAlike(containersOf(node, grammar), qualifiers)
  }

  function isOwned(node: SgNode, kind: UsageKind): boolean {
    if (kind === 'import') return isImportedFrom(node, grammar, owner)
    const receiver = findReceiver(node, grammar)
    if (receiver) return isOwner(receiver)
    if (isOwnCall(node, grammar)) return is_imported || endsAlike(calleeOf(node, grammar), qualifiers)
    const containers = containersOf(node, grammar)
    if (endsAlike(containers, qualifiers)) return true
    if (literalType(node, grammar) === owner) return true
    if (kind === 'definition') return is_own_module && containers.length === 0
    return is_imported || (is_own_module && !isPartName(node))
  }

  function isOwner(receiver: SgNode): boolean {
    const text = receiver.text().slice(0, TEXT_LIMIT)
    if (grammar.selves.includes(text)) return endsAlike(classesOf(receiver, grammar), qualifiers)
    const names = receiverNames(receiver, grammar)
    const last = names.at(-1)
    return last !== undefined && (endsAlike(names, qualifiers) || bound.has(last))
  }

  return { isOwned }
}

/** Whether both lists end alike, as far as both go. */
function endsAlike(names: readonly string[], others: readonly string[]): boolean {
  const length = Math.min(names.length, others.length)
  return length > 0 && names.slice(-length).every((name, index) => name === others.at(index - length))
}

/** `f` in `{ f: 1 }` or `.f` is a part of something; a plain name is not. */
function isPartName(node: SgNode): boolean {
  return /property_identifier|field_identifier/.test(String(node.kind()))
}

function findNamed(root: SgNode, { names }: UsageGrammar, name: string): SgNode[] {
  const any = names.map((kind) => ({ kind, regex: `^${escapeName(name)}$` }))
  return root.findAll({ rule: { any } }).slice(0, OWNER_NODES_LIMIT)
}

/** A name as part of a pattern for the parser's engine. */
export function escapeName(name: string): string {
  return name.replaceAll('$', '\\$')
}

/** Not parsed further than into words and signs: what a macro is given, and `Owner::name` in some languages. */
const PLAIN = new Set([
  'token_tree',
  'method_reference',
  'callable_reference',
  'class_constant_access_expression',
])

function findReceiver(named: SgNode, { members, generics = [] }: UsageGrammar): SgNode | undefined {
  const around = named.parent()
  const node = around && generics.includes(String(around.kind())) ? around : named
  const parent = node.parent()
  if (PLAIN.has(String(parent?.kind())))
    return ['.', '::'].includes(node.prev()?.text() ?? '') ? (node.prev()?.prev() ?? undefined) : undefined
  const fields = parent ? members[String(parent.kind())] : undefined
  if (!parent || !fields || findField(parent, fields[1])?.id() !== node.id()) return undefined
  return findField(parent, fields[0])
}

/** The names of a chain such as `a.b.C`, or of what a value is made by, such as `new C()`. */
function receiverNames(receiver: SgNode, grammar: UsageGrammar): string[] {
  let made: SgNode | undefined = receiver
  for (let steps = 0; made && steps < CARRIED_LIMIT; steps += 1) {
    const kind: string = String(made.kind())
    const fields: readonly string[] | undefined = grammar.carriers[kind]
    if (!fields || kind in grammar.members) break
    made = fields.length > 0 ? findField(made, fields[0] as string) : made.namedChildren()[0]
  }
  const text = made?.text() ?? ''
  if (made === undefined || text.length > TEXT_LIMIT || /[()[\]{}"'`]/.test(text)) return []
  const plain = text.replaceAll(/<[^<>]*>/g, '')
  const names = plain.match(WORDS) ?? []
  return names.length > 1 && OWNER_ITSELF.has(names.at(-1) as string) ? names.slice(0, -1) : names
}

/** Whether a method is called without saying whose: the class around it is meant. */
function isOwnCall(node: SgNode, { own_calls }: UsageGrammar): boolean {
  const parent = node.parent()
  return (
    parent != null &&
    parent.kind() === own_calls &&
    (findField(parent, 'name') ?? findField(parent, 'function'))?.id() === node.id()
  )
}

/** What the name lies in, outermost first; what it is itself the name of does not count. */
function containersOf(node: SgNode, grammar: UsageGrammar): string[] {
  const names: string[] = []
  let above = node.parent()
  for (let steps = 0; above && steps < CLIMB_LIMIT; above = above.parent(), steps += 1) {
    const field = grammar.containers[String(above.kind())]
    const called = field === undefined ? undefined : findField(above, field)
    if (!called || called.id() === node.id() || isFieldOfConstructor(node, called)) continue
    const name = nameOfContainer(called)
    if (name !== undefined) names.unshift(name)
  }
  return names
}

/** A parameter of a constructor that is a field at once belongs to the class. */
function isFieldOfConstructor(node: SgNode, called: SgNode): boolean {
  const parameter = node.parent()
  const modifier = parameter?.kind() === 'required_parameter' ? parameter.child(0) : undefined
  return (
    called.text() === 'constructor' &&
    /^(?:accessibility|override)_modifier$|^readonly$/.test(String(modifier?.kind()))
  )
}

function nameOfContainer(called: SgNode): string | undefined {
  if (called.kind() === 'parameter_list') return receiverType(called)
  return called
    .text()
    .slice(0, TEXT_LIMIT)
    .replaceAll(/<[^<>]*>/g, '')
    .match(WORDS)
    ?.at(-1)
}

function classesOf(node: SgNode, grammar: UsageGrammar, isMeant?: (one: SgNode) => boolean): string[] {
  let above = node.parent()
  for (let steps = 0; above && steps < CLIMB_LIMIT; above = above.parent(), steps += 1) {
    const kind = String(above.kind())
    const field = grammar.classes.includes(kind) ? grammar.containers[kind] : undefined
    const called = field === undefined ? undefined : findField(above, field)
    const name = called && nameOfContainer(called)
    if (name !== undefined && (isMeant?.(above) ?? true)) return [name]
  }
  return []
}

/** The innermost class around that has such a method itself; without one it is inherited. */
function calleeOf(node: SgNode, grammar: UsageGrammar): string[] {
  const own = classesOf(node, grammar, (one) => {
    const members = findField(one, 'body')?.children() ?? []
    return members.some(
      (member) => member.kind() === 'method_declaration' && findField(member, 'name')?.text() === node.text(),
    )
  })
  return own.length > 0 ? own : classesOf(node, grammar)
}

/** The type of the value that a name is a part of, as in `Owner{name: 1}`. */
function literalType(node: SgNode, grammar: UsageGrammar): string | undefined {
  let above = node.parent()
  for (let steps = 0; above && steps < CARRIED_LIMIT; above = above.parent(), steps += 1) {
    const field = grammar.literals[String(above.kind())]
    const type = field === undefined ? undefined : findField(above, field)
    if (type) return type.text().slice(0, TEXT_LIMIT).match(WORDS)?.at(-1)
  }
  return undefined
}

/** Where an import says that its names come from. */
const ORIGINS = ['source', 'module_name', 'path', 'scope', 'value']

/** Whether what is imported there comes from the owner: the words before the name, or the file that is named. */
function isImportedFrom(node: SgNode, { imports }: UsageGrammar, owner: string): boolean {
  const words: string[] = []
  const at = node.range().start.index
  let above = node.parent()
  for (let steps = 0; above && steps < CLIMB_LIMIT; above = above.parent(), steps += 1) {
    const kind = String(above.kind())
    for (const field of ORIGINS) {
      const origin = findField(above, field)
      const { start, end } = origin?.range() ?? node.range()
      if (!origin || (start.index <= at && at < end.index)) continue
      words.push(...(origin.text().slice(0, TEXT_LIMIT).match(WORDS) ?? []))
    }
    if (imports.includes(kind) || kind === 'export_statement') return words.includes(owner)
    if (kind === 'variable_declarator')
      return (
        /^(?:await\s+import|require|import)\s*\(/.test(findField(above, 'value')?.text() ?? '') &&
        words.includes(owner)
      )
  }
  return false
}

/** Names in this file that are given to values of a type, or to a module. */
function namesBoundTo(root: SgNode, grammar: UsageGrammar, owner: string): ReadonlySet<string> {
  const bound = new Set<string>()
  for (const node of findNamed(root, grammar, owner)) {
    const place = findBinder(node, grammar)
    for (const name of place ?? []) if (bound.size < BOUND_LIMIT) bound.add(name)
  }
  return bound
}

function findBinder(node: SgNode, { carriers, binders }: UsageGrammar): string[] | undefined {
  let [inner, above] = [node, node.parent()]
  for (let steps = 0; above && steps < CARRIED_LIMIT; steps += 1) {
    const kind = String(above.kind())
    const field = Object.hasOwn(binders, kind) ? binders[kind] : undefined
    if (field !== undefined) return boundNames(above, inner, field)
    const fields = Object.hasOwn(carriers, kind) ? carriers[kind] : undefined
    if (!fields || !isPartOf(above, inner, fields)) return undefined
    ;[inner, above] = [above, above.parent()]
  }
  return undefined
}

function listParts(node: SgNode, field: string): SgNode[] {
  if (field === '*') return node.namedChildren().slice(0, 1)
  return field.startsWith(':') ? [findField(node, field) ?? []].flat() : node.fieldChildren(field)
}

function boundNames(binder: SgNode, from: SgNode, field: string): string[] | undefined {
  const called = listParts(binder, field)
  if (called.some((one: SgNode) => one.id() === from.id())) return undefined
  return called.flatMap((one: SgNode) => {
    const text = one.text().slice(0, TEXT_LIMIT)
    const words = (/[=]/.test(text) ? text.slice(0, text.indexOf('=')) : text).match(WORDS) ?? []
    const last = words.at(-1)
    return last === undefined ? [] : [last]
  })
}
