import type { SgNode } from '@ast-grep/napi'
import { findField, kinds, moduleOfPath, type UsageGrammar, type UsageKind } from './usage-grammar.ts'

const CLIMB_LIMIT = 40
const SCOPES = new Set(['function_definition', 'class_definition', 'lambda', 'module'])
const ASSIGNING = new Set(['assignment', 'for_statement', 'as_pattern_target', 'named_expression'])
/** What stands around names that are given values at once. */
const SEVERAL = new Set(['pattern_list', 'tuple_pattern', 'list_pattern', 'list_splat_pattern'])

/** Python. */
export const PYTHON_USAGE: UsageGrammar = {
  names: ['identifier'],
  imports: ['import_statement', 'import_from_statement', 'future_import_statement'],
  definitions: {
    ...kinds(
      'function_definition class_definition default_parameter typed_default_parameter named_expression',
      ['name'],
    ),
    ...kinds('assignment for_statement for_in_clause type_alias_statement', ['left']),
    ...kinds('parameters lambda_parameters as_pattern_target', ['*']),
  },
  patterns: {
    ...kinds(
      'pattern_list tuple_pattern list_pattern tuple list_splat_pattern dictionary_splat_pattern type',
      [],
    ),
    typed_parameter: ['!type'],
  },
  ignored: [],
  members: { attribute: ['object', 'attribute'] },
  containers: { class_definition: 'name', function_definition: 'name' },
  classes: ['class_definition'],
  selves: ['self', 'cls', 'super()'],
  carriers: {
    ...kinds('type generic_type union_type await dotted_name parenthesized_expression', []),
    call: ['function'],
    attribute: ['attribute'],
  },
  binders: {
    assignment: 'left',
    typed_parameter: '*',
    typed_default_parameter: 'name',
    aliased_import: 'alias',
  },
  literals: {},
  judge,
  moduleNames: (_, path) => moduleOfPath(path),
}

function judge(node: SgNode, kind: UsageKind): UsageKind | undefined {
  if (kind === 'definition') return isFirst(node) ? undefined : 'reference'
  if (kind !== 'reference') return undefined
  return isOwnFieldMade(node) || isTypeMade(node) || isCaptured(node) ? 'definition' : undefined
}

/** What is new in `def f[T]`, `class C[T: int]` and `type A[T] = …`; in `list[T]` an older name is used. */
function isTypeMade(node: SgNode): boolean {
  const made = typeAbove(node)
  const parent = made?.parent()
  if (parent?.kind() === 'generic_type') return made?.prev() === null && isAliasName(parent)
  if (parent?.kind() !== 'type_parameter') return false
  const owner = parent.parent()
  if (owner?.kind() === 'generic_type') return isAliasName(owner)
  return owner?.kind() === 'function_definition' || owner?.kind() === 'class_definition'
}

/** The whole entry that a name is the name of: `T` in `T: int` and in `*T` too. */
function typeAbove(node: SgNode): SgNode | undefined {
  const parent = node.parent()
  if (parent?.kind() === 'generic_type') return node
  const plain = parent?.kind() === 'splat_type' ? parent.parent() : parent
  if (plain?.kind() !== 'type') return undefined
  const bound = plain.parent()
  if (bound?.kind() !== 'constrained_type') return plain
  return plain.prev() === null ? (bound.parent() ?? undefined) : undefined
}

function isAliasName(generic: SgNode): boolean {
  const type = generic.parent()
  const alias = type?.parent()
  return alias?.kind() === 'type_alias_statement' && findField(alias, 'left')?.id() === type?.id()
}

/** A plain name in a `case` takes a value in; one with parts, or with arguments, is compared with. */
function isCaptured(node: SgNode): boolean {
  const parent = node.parent()
  const kind = parent?.kind()
  if (kind === 'splat_pattern') return true
  if (kind === 'as_pattern') return parent?.parent()?.kind() === 'case_pattern' && node.next() === null
  if (kind !== 'dotted_name' || parent?.children().length !== 1) return false
  const place = parent.parent()?.kind()
  return place === 'case_pattern' || place === 'keyword_pattern'
}

/** Python has no word for a new variable: within its scope, the first time that it is given a value is it. */
function isFirst(node: SgNode): boolean {
  if (!isAssigned(node)) return true
  const scope = scopeOf(node)
  const name = node.text()
  const earlier = scope
    ?.findAll({ rule: { kind: 'identifier', regex: `^${name}$` } })
    .find((other) => isBinding(other) && scopeOf(other)?.id() === scope.id())
  return earlier === undefined || earlier.id() === node.id()
}

/** What a comprehension names is its own, whatever the value is given to. */
function isAssigned(node: SgNode): boolean {
  const place = climb(
    node,
    (above) => ASSIGNING.has(String(above.kind())) || above.kind() === 'for_in_clause',
  )
  return place !== undefined && place.kind() !== 'for_in_clause'
}

function isBinding(node: SgNode): boolean {
  const parent = node.parent()
  const kind = String(parent?.kind())
  if (kind === 'global_statement' || kind === 'nonlocal_statement') return true
  if (kind === 'attribute' || kind === 'keyword_argument') return false
  const place = climb(
    node,
    (above) => ASSIGNING.has(String(above.kind())) || String(above.kind()).endsWith('parameters'),
  )
  if (!place) return false
  const { start, end } = (findField(place, 'left') ?? findField(place, 'name') ?? place).range()
  return node.range().start.index >= start.index && node.range().end.index <= end.index
}

function scopeOf(node: SgNode): SgNode | undefined {
  return climb(node, (above) => SCOPES.has(String(above.kind())))
}

function climb(node: SgNode, isIt: (above: SgNode) => boolean): SgNode | undefined {
  let above = node.parent()
  for (let steps = 0; above && steps < CLIMB_LIMIT; above = above.parent(), steps += 1)
    if (isIt(above)) return above
  return undefined
}

/** `self.name = …` in `__init__`, by itself or beside others. */
function isOwnFieldMade(node: SgNode): boolean {
  const access = node.parent()
  if (access?.kind() !== 'attribute' || findField(access, 'attribute')?.id() !== node.id()) return false
  if (findField(access, 'object')?.text() !== 'self') return false
  let [given, assignment] = [access, access.parent()]
  while (assignment && SEVERAL.has(String(assignment.kind())))
    [given, assignment] = [assignment, assignment.parent()]
  if (assignment?.kind() !== 'assignment' || findField(assignment, 'left')?.id() !== given.id()) return false
  const method = climb(assignment, (above) => above.kind() === 'function_definition')
  return method !== undefined && findField(method, 'name')?.text() === '__init__'
}
