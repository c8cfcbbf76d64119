import type { SgNode } from '@ast-grep/napi'
import { kinds, moduleOfPath, type UsageGrammar, type UsageKind } from './usage-grammar.ts'

const TYPES = 'class_declaration struct_declaration interface_declaration record_declaration enum_declaration'

/** C#. */
export const CSHARP_USAGE: UsageGrammar = {
  names: ['identifier', 'implicit_parameter'],
  imports: ['using_directive', 'extern_alias_directive'],
  definitions: {
    ...kinds(
      `${TYPES} namespace_declaration file_scoped_namespace_declaration delegate_declaration ` +
        'method_declaration constructor_declaration destructor_declaration property_declaration ' +
        'event_declaration local_function_statement enum_member_declaration variable_declarator parameter ' +
        'type_parameter catch_declaration declaration_expression declaration_pattern recursive_pattern ' +
        'var_pattern tuple_element from_clause parenthesized_variable_designation tuple_pattern',
      ['name'],
    ),
    foreach_statement: ['left'],
    lambda_expression: ['parameters'],
  },
  patterns: { qualified_name: ['name'] },
  ignored: [],
  members: {
    member_access_expression: ['expression', 'name'],
    qualified_name: ['qualifier', 'name'],
  },
  generics: ['generic_name'],
  containers: kinds(`${TYPES} namespace_declaration method_declaration`, 'name'),
  classes: TYPES.split(' '),
  selves: ['this', 'base'],
  own_calls: 'invocation_expression',
  carriers: {
    ...kinds('generic_name nullable_type await_expression parenthesized_expression array_type', []),
    object_creation_expression: ['type'],
    qualified_name: ['name'],
  },
  binders: {
    ...kinds('variable_declarator parameter property_declaration declaration_pattern', 'name'),
    variable_declaration: ':variable_declarator',
    foreach_statement: 'left',
  },
  literals: {},
  judge,
  moduleNames: (_, path) => moduleOfPath(path),
}

/** In an attribute and before a colon stands what is named elsewhere. */
function judge(node: SgNode, kind: UsageKind): UsageKind | undefined {
  const isAlias = kind === 'import' && node.next()?.text() === '='
  return isAlias ? 'definition' : undefined
}
