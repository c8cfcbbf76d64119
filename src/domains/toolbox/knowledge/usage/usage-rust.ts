import type { SgNode } from '@ast-grep/napi'
import { kinds, moduleOfPath, type UsageGrammar, type UsageKind } from './usage-grammar.ts'

const NAME = ['name']
const PATTERN = ['pattern']

/** Rust. */
export const RUST_USAGE: UsageGrammar = {
  names: ['identifier', 'field_identifier', 'type_identifier', 'shorthand_field_identifier'],
  imports: ['use_declaration', 'extern_crate_declaration'],
  definitions: {
    ...kinds(
      'function_item function_signature_item struct_item enum_item union_item enum_variant ' +
        'trait_item type_item associated_type const_item static_item mod_item macro_definition ' +
        'field_declaration const_parameter type_parameter optional_type_parameter',
      NAME,
    ),
    constrained_type_parameter: ['left'],
    type_parameters: ['*'],
    closure_parameters: ['*'],
    ...kinds('let_declaration let_condition parameter for_expression match_arm', PATTERN),
  },
  patterns: {
    ...kinds(
      'tuple_pattern slice_pattern field_pattern ref_pattern mut_pattern reference_pattern ' +
        'captured_pattern or_pattern',
      [],
    ),
    tuple_struct_pattern: ['!type'],
    struct_pattern: ['!type'],
    match_pattern: ['!condition'],
  },
  ignored: ['lifetime', 'label'],
  members: {
    field_expression: ['value', 'field'],
    scoped_identifier: ['path', 'name'],
    scoped_type_identifier: ['path', 'name'],
  },
  containers: {
    impl_item: 'type',
    ...kinds('trait_item struct_item enum_item union_item mod_item function_item', 'name'),
  },
  classes: ['impl_item', 'trait_item'],
  selves: ['self', 'Self'],
  carriers: {
    ...kinds(
      'reference_type generic_type reference_expression await_expression try_expression type_arguments',
      [],
    ),
    scoped_type_identifier: ['name'],
    struct_expression: ['name'],
    scoped_identifier: ['path'],
    call_expression: ['function'],
  },
  binders: {
    let_declaration: 'pattern',
    parameter: 'pattern',
    ...kinds('field_declaration static_item const_item', 'name'),
    use_as_clause: 'alias',
  },
  literals: { struct_expression: 'name', struct_pattern: 'type' },
  judge,
  findMore,
  moduleNames: (_, path) => moduleOfPath(path),
}

/** A capital in a pattern is a constant or a variant; `field: name` takes the value of a field of that name. */
function judge(node: SgNode, kind: UsageKind): UsageKind | undefined {
  const parent = node.parent()
  if (kind === 'reference') return isMadeInMacro(node) ? 'definition' : undefined
  if (kind !== 'definition') return undefined
  if (parent?.kind() === 'field_pattern' && node.kind() === 'field_identifier') return 'reference'
  const in_pattern = String(parent?.kind()).endsWith('pattern')
  return in_pattern && isCapital(node) ? 'reference' : undefined
}

function isCapital(node: SgNode): boolean {
  return node.kind() === 'identifier' && /^\p{Lu}/u.test(node.text())
}

const MAKING = new Set(['fn', 'struct', 'enum', 'union', 'trait', 'mod', 'type', 'const', 'static', 'let'])

/** What a macro is given is not parsed further than into words: the word before says what a name is. */
function isMadeInMacro(node: SgNode): boolean {
  if (!isInMacro(node)) return false
  if (node.prev()?.text() === 'for') return node.next()?.text() === 'in'
  const word = wordBefore(node)
  if (!word || !MAKING.has(word.text())) return false
  if (word.text() === 'let') return !isCapital(node) && node.next()?.text() !== '::'
  // `*const T` and `&'static T` make nothing.
  return !['*', "'"].includes(word.prev()?.text() ?? '')
}

function isInMacro(node: SgNode): boolean {
  return /^token_(?:tree|repetition)$/.test(String(node.parent()?.kind()))
}

/** The word that a name stands after; `mut` and `ref` between do not count. */
function wordBefore(node: SgNode): SgNode | undefined {
  const before = node.prev()
  return (/^(?:mut|ref)$/.test(before?.text() ?? '') ? before?.prev() : before) ?? undefined
}

/** In a macro, names that are words of the language elsewhere, as in `Config::default()`. */
const WORDS = ['default', 'union']

function findMore(root: SgNode, name: string): SgNode[] {
  if (!WORDS.includes(name)) return []
  return root
    .findAll({ rule: { regex: `^${name}$` } })
    .filter((node) => node.kind() === name && isInMacro(node))
}
