import type { SgNode } from '@ast-grep/napi'
import { findField, kinds, moduleOfPath, type UsageGrammar, type UsageKind } from './usage-grammar.ts'

const NAME = ['name']
const FUNCTION_VALUES = new Set([
  'arrow_function',
  'function_expression',
  'generator_function',
  'class',
  'function',
])

/** TypeScript, with JSX too. */
export const TYPESCRIPT_USAGE: UsageGrammar = {
  names: [
    'identifier',
    'property_identifier',
    'private_property_identifier',
    'shorthand_property_identifier',
    'shorthand_property_identifier_pattern',
    'type_identifier',
  ],
  imports: ['import_statement'],
  definitions: {
    ...kinds(
      'function_declaration generator_function_declaration function_expression ' +
        'generator_function function_signature class_declaration abstract_class_declaration class ' +
        'method_definition method_signature abstract_method_signature public_field_definition ' +
        'property_signature index_signature interface_declaration type_alias_declaration ' +
        'enum_declaration enum_body enum_assignment internal_module module variable_declarator ' +
        'type_parameter mapped_type_clause',
      NAME,
    ),
    field_definition: ['property'],
    required_parameter: ['pattern'],
    optional_parameter: ['pattern'],
    formal_parameters: ['*'],
    infer_type: ['*'],
    arrow_function: ['parameter'],
    catch_clause: ['parameter'],
    for_in_statement: ['left'],
  },
  patterns: {
    ...kinds('object_pattern array_pattern rest_pattern nested_identifier', []),
    pair_pattern: ['value'],
    assignment_pattern: ['left'],
    object_assignment_pattern: ['left'],
  },
  ignored: ['jsx_closing_element'],
  members: {
    member_expression: ['object', 'property'],
    nested_identifier: ['object', 'property'],
    nested_type_identifier: ['module', 'name'],
  },
  containers: {
    ...kinds(
      'class_declaration abstract_class_declaration class interface_declaration ' +
        'type_alias_declaration enum_declaration internal_module function_declaration ' +
        'generator_function_declaration method_definition variable_declarator',
      'name',
    ),
    pair: 'key',
  },
  classes: ['class_declaration', 'abstract_class_declaration', 'class', 'variable_declarator'],
  selves: ['this', 'super'],
  carriers: {
    ...kinds(
      'type_annotation await_expression parenthesized_type union_type parenthesized_expression ' +
        'as_expression satisfies_expression import_clause namespace_import',
      [],
    ),
    generic_type: ['name'],
    nested_type_identifier: ['name'],
    new_expression: ['constructor'],
  },
  binders: {
    ...kinds('variable_declarator public_field_definition property_signature', 'name'),
    required_parameter: 'pattern',
    optional_parameter: 'pattern',
    import_specifier: 'alias',
  },
  literals: {},
  judge,
  moduleNames: (_, path) => moduleOfPath(path),
}

/** JavaScript, with JSX too: its parser knows no types. */
export const JAVASCRIPT_USAGE: UsageGrammar = {
  ...TYPESCRIPT_USAGE,
  names: TYPESCRIPT_USAGE.names.filter((kind) => kind !== 'type_identifier'),
}

function judge(node: SgNode, kind: UsageKind): UsageKind | undefined {
  const parent = node.parent()
  if (!parent) return undefined
  if (kind === 'definition') return judgeDefinition(node)
  if (kind === 'import') return undefined
  const is_import = isReExported(parent) || parent.kind() === 'namespace_export'
  if (is_import) return 'import'
  if (parent.kind() === 'pair_pattern' && isField(parent, 'key', node))
    return judgeDefinition(node) === 'import' ? 'import' : undefined
  if (parent.kind() === 'pair' && isField(parent, 'key', node))
    return FUNCTION_VALUES.has(String(findField(parent, 'value')?.kind())) ? 'definition' : undefined
  return isMemberMade(parent, node) || isUsing(parent, node) ? 'definition' : undefined
}

/** The parser of TypeScript takes `using a = …` for an assignment with a word before it. */
function isUsing(parent: SgNode, node: SgNode): boolean {
  return (
    parent.kind() === 'assignment_expression' &&
    parent.child(0)?.kind() === 'using' &&
    isField(parent, 'left', node)
  )
}

/**
 * What is taken out of `require` or `import()` is imported; the variable of a loop may be an older one, and what
 * `infer` binds to is followed by what it must be.
 */
function judgeDefinition(node: SgNode): UsageKind | undefined {
  if (node.parent()?.kind() === 'infer_type') return node.prev()?.kind() === 'infer' ? undefined : 'reference'
  let [inner, above] = [node, node.parent()]
  for (let steps = 0; above && steps < 8; [inner, above] = [above, above.parent()], steps += 1) {
    if (above.kind() === 'for_in_statement')
      return isField(above, 'left', inner) && !findField(above, 'kind') ? 'reference' : undefined
    if (above.kind() !== 'variable_declarator') continue
    const value = isField(above, 'name', inner) ? (findField(above, 'value')?.text() ?? '') : ''
    return /^(?:await\s+import|require|import)\s*\(/.test(value) ? 'import' : undefined
  }
  return undefined
}

function isReExported(parent: SgNode): boolean {
  if (parent.kind() !== 'export_specifier') return false
  const statement = parent.parent()?.parent()
  return statement != null && findField(statement, 'source') !== undefined
}

/** `exports.name = …`, `Made.prototype.name = …`, and what a constructor gives to `this`. */
function isMemberMade(parent: SgNode, node: SgNode): boolean {
  if (parent.kind() !== 'member_expression' || !isField(parent, 'property', node)) return false
  const assignment = parent.parent()
  if (assignment?.kind() !== 'assignment_expression' || !isField(assignment, 'left', parent)) return false
  const object = findField(parent, 'object')?.text() ?? ''
  if (object === 'this') return isInConstructor(assignment)
  return /^(?:module\.)?exports$|\.prototype$/.test(object.slice(-200))
}

function isInConstructor(node: SgNode): boolean {
  for (let above = node.parent(), steps = 0; above && steps < 12; above = above.parent(), steps += 1)
    if (above.kind() === 'method_definition') return findField(above, 'name')?.text() === 'constructor'
  return false
}

function isField(parent: SgNode, field: string, node: SgNode): boolean {
  return findField(parent, field)?.id() === node.id()
}
