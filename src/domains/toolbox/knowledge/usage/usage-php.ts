import { kinds, moduleOfPath, type UsageGrammar } from './usage-grammar.ts'

const TYPES = 'class_declaration interface_declaration trait_declaration enum_declaration'

/** PHP. Names of variables are counted without their sign. */
export const PHP_USAGE: UsageGrammar = {
  names: ['name'],
  imports: ['namespace_use_declaration'],
  definitions: {
    ...kinds(
      `${TYPES} function_definition method_declaration enum_case simple_parameter variadic_parameter ` +
        'property_promotion_parameter property_element static_variable_declaration catch_clause',
      ['name'],
    ),
    const_element: [':name'],
    namespace_definition: ['name'],
  },
  patterns: { variable_name: [], namespace_name: [] },
  ignored: [],
  members: {
    ...kinds(
      'member_access_expression member_call_expression nullsafe_member_access_expression ' +
        'nullsafe_member_call_expression',
      ['object', 'name'] as const,
    ),
    ...kinds('scoped_call_expression scoped_property_access_expression', ['scope', 'name'] as const),
  },
  containers: kinds(`${TYPES} function_definition method_declaration`, 'name'),
  classes: TYPES.split(' '),
  selves: ['$this', 'self', 'static', 'parent'],
  carriers: kinds(
    'object_creation_expression named_type optional_type union_type qualified_name parenthesized_expression',
    [],
  ),
  binders: {
    assignment_expression: 'left',
    ...kinds('simple_parameter property_promotion_parameter', 'name'),
    property_declaration: ':property_element',
  },
  literals: {},
  moduleNames: (_, path) => moduleOfPath(path),
}
