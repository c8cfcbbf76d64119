import type { SgNode } from '@ast-grep/napi'

/** What an occurrence of a name is to the symbol. */
export type UsageKind = 'definition' | 'reference' | 'import'

/**
 * By the kind of a node, the fields in which its parts lie: `*` are all of them, `:kind` is the first part of a kind
 * where a parser names no fields, and `<` what stands before the node.
 */
export type Fields = Readonly<Record<string, readonly string[]>>

/** A table that says the same of several kinds of nodes. */
export function kinds<Value>(names: string, value: Value): Record<string, Value> {
  return Object.fromEntries(names.split(' ').map((name) => [name, value]))
}

/** How one language writes names; kinds and fields are those of its parser. */
export interface UsageGrammar {
  /** Leaves that are names. Comments and the text of strings are of other kinds, so they never count. */
  readonly names: readonly string[]
  /** Whatever is named in these is imported. */
  readonly imports: readonly string[]
  /** Where a new name is given. */
  readonly definitions: Fields
  /** What may stand between such a place and the name; its other fields (`!field`) are no part of the pattern. */
  readonly patterns: Fields
  /** Names right in these are labels, lifetimes or said twice: none of them is a use. */
  readonly ignored: readonly string[]
  /** `receiver.name`: the fields of both. */
  readonly members: Readonly<Record<string, readonly [receiver: string, name: string]>>
  /** What has parts of its own, and the field of its name. */
  readonly containers: Readonly<Record<string, string>>
  /** Of these, the ones that `this` or `self` means. */
  readonly classes: readonly string[]
  /** Names of the object that a method works on. */
  readonly selves: readonly string[]
  /** Calls that mean a method of the class around them where they name no receiver. */
  readonly own_calls?: string
  /** What a type or module is carried through on its way to a new name for a value of it. */
  readonly carriers: Fields
  /** Where such a name is given; the field of the name. */
  readonly binders: Readonly<Record<string, string>>
  /** What stands around the name of something made for several types, as in `name<T>`. */
  readonly generics?: readonly string[]
  /** Values written with the names of their parts, and the field of their type. */
  readonly literals: Readonly<Record<string, string>>
  /** The last word where the tables do not tell; nothing leaves it at what they say. */
  judge?(node: SgNode, kind: UsageKind): UsageKind | undefined
  /** Names that stand in places of other kinds, such as in the path of a package. */
  findMore?(root: SgNode, name: string): SgNode[]
  /** What the file itself is called as a module. */
  moduleNames(root: SgNode, path: string): string[]
}

/** Whether a node lies in one of the fields of its parent. */
export function isInField(parent: SgNode, node: SgNode, fields: readonly string[]): boolean {
  const id = node.id()
  return fields.some((field) => {
    if (field === '*') return true
    if (field.startsWith(':')) return findField(parent, field)?.id() === id
    return parent.fieldChildren(field).some((child: SgNode) => child.id() === id)
  })
}

/** A part of a node; undefined where it has none of that name. */
export function findField(node: SgNode, field: string): SgNode | undefined {
  if (field === '<') return node.prev() ?? undefined
  if (field.startsWith(':')) return node.children().find((child) => child.kind() === field.slice(1))
  return node.field(field) ?? undefined
}

/** Whether the node lies in a part that the fields name; `!field` leaves one out. */
export function isPartOf(parent: SgNode, node: SgNode, fields: readonly string[]): boolean {
  const left_out = fields.filter((field) => field.startsWith('!')).map((field) => field.slice(1))
  const taken = fields.filter((field) => !field.startsWith('!'))
  if (left_out.length > 0 && isInField(parent, node, left_out)) return false
  return taken.length === 0 || isInField(parent, node, taken)
}

const FOLDER_FILES = new Set(['index', 'mod', '__init__', 'lib', 'main'])

/** The name of a file as a module: without its ending, and that of its folder where it stands for that. */
export function moduleOfPath(path: string): string[] {
  const names = path.split('/')
  const stem = (names.at(-1) ?? '').replace(/\.[^.]*$/, '').replace(/\.d$/, '')
  const folder = names.at(-2)
  return FOLDER_FILES.has(stem) && folder !== undefined ? [folder, stem] : [stem]
}
