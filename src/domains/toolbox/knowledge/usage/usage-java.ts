import type { SgNode } from '@ast-grep/napi'
import { moduleOfPath, type UsageGrammar, type UsageKind } from './usage-grammar.ts'

const NAME = ['name']

/** Java. */
export const JAVA_USAGE: UsageGrammar = {
  names: ['identifier', 'type_identifier'],
  imports: ['import_declaration'],
  definitions: {
    class_declaration: NAME,
    interface_declaration: NAME,
    enum_declaration: NAME,
    record_declaration: NAME,
    annotation_type_declaration: NAME,
    annotation_type_element_declaration: NAME,
    method_declaration: NAME,
    constructor_declaration: NAME,
    compact_constructor_declaration: NAME,
    enum_constant: NAME,
    variable_declarator: NAME,
    formal_parameter: NAME,
    catch_formal_parameter: NAME,
    inferred_parameters: ['*'],
    lambda_expression: ['parameters'],
    enhanced_for_statement: NAME,
    resource: NAME,
    type_parameter: ['*'],
    instanceof_expression: NAME,
    type_pattern: ['*'],
    record_pattern_component: ['*'],
    package_declaration: ['*'],
  },
  patterns: { scoped_identifier: NAME },
  ignored: ['labeled_statement', 'break_statement', 'continue_statement'],
  members: {
    method_invocation: ['object', 'name'],
    field_access: ['object', 'field'],
    scoped_identifier: ['scope', 'name'],
  },
  containers: {
    class_declaration: 'name',
    interface_declaration: 'name',
    enum_declaration: 'name',
    record_declaration: 'name',
    annotation_type_declaration: 'name',
    method_declaration: 'name',
  },
  classes: ['class_declaration', 'interface_declaration', 'enum_declaration', 'record_declaration'],
  selves: ['this', 'super'],
  own_calls: 'method_invocation',
  carriers: {
    generic_type: [],
    scoped_type_identifier: [],
    object_creation_expression: ['type'],
    parenthesized_expression: [],
    array_type: ['element'],
  },
  binders: {
    variable_declarator: 'name',
    local_variable_declaration: 'declarator',
    field_declaration: 'declarator',
    formal_parameter: 'name',
    resource: 'name',
    enhanced_for_statement: 'name',
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
