import type { SgNode } from '@ast-grep/napi'
import { kinds, moduleOfPath, type UsageGrammar, type UsageKind } from './usage-grammar.ts'

const NAME = ['name']

/** Java. */
export const JAVA_USAGE: UsageGrammar = {
  names: ['identifier', 'type_identifier'],
  imports: ['import_declaration'],
  definitions: {
    ...kinds(
      'class_declaration interface_declaration enum_declaration record_declaration ' +
        'annotation_type_declaration annotation_type_element_declaration method_declaration ' +
        'constructor_declaration compact_constructor_declaration enum_constant ' +
        'variable_declarator formal_parameter catch_formal_parameter enhanced_for_statement ' +
        'resource instanceof_expression',
      NAME,
    ),
    ...kinds('inferred_parameters type_parameter type_pattern record_pattern_component package_declaration', [
      '*',
    ]),
    lambda_expression: ['parameters'],
  },
  patterns: { scoped_identifier: NAME },
  ignored: ['labeled_statement', 'break_statement', 'continue_statement'],
  members: {
    method_invocation: ['object', 'name'],
    field_access: ['object', 'field'],
    scoped_identifier: ['scope', 'name'],
  },
  containers: {
    ...kinds(
      'class_declaration interface_declaration enum_declaration record_declaration ' +
        'annotation_type_declaration method_declaration',
      'name',
    ),
  },
  classes: ['class_declaration', 'interface_declaration', 'enum_declaration', 'record_declaration'],
  selves: ['this', 'super'],
  own_calls: 'method_invocation',
  carriers: {
    ...kinds('generic_type scoped_type_identifier parenthesized_expression', []),
    object_creation_expression: ['type'],
    array_type: ['element'],
  },
  binders: {
    ...kinds('variable_declarator formal_parameter resource enhanced_for_statement', 'name'),
    local_variable_declaration: 'declarator',
    field_declaration: 'declarator',
  },
  literals: {},
  judge,
  moduleNames: (_, path) => moduleOfPath(path),
}

/** A pattern names its type first and then what it binds. */
function judge(node: SgNode, kind: UsageKind): UsageKind | undefined {
  if (kind === 'definition') {
    const is_pattern = /pattern/.test(String(node.parent()?.kind()))
    return is_pattern && node.kind() === 'type_identifier' ? 'reference' : undefined
  }
  return undefined
}
