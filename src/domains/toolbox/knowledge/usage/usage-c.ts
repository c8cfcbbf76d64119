import type { SgNode } from '@ast-grep/napi'
import { findField, kinds, moduleOfPath, type UsageGrammar, type UsageKind } from './usage-grammar.ts'

const RECORDS = 'struct_specifier union_specifier enum_specifier class_specifier'

/** C. A declaration gives a name as a definition does. */
export const C_USAGE: UsageGrammar = {
  names: ['identifier', 'field_identifier', 'type_identifier'],
  imports: ['using_declaration'],
  definitions: {
    ...kinds(
      `${RECORDS} enumerator preproc_def preproc_function_def namespace_definition alias_declaration ` +
        'concept_definition namespace_alias_definition',
      ['name'],
    ),
    ...kinds(
      'function_definition init_declarator parameter_declaration optional_parameter_declaration ' +
        'variadic_parameter_declaration declaration field_declaration type_definition for_range_loop ' +
        'structured_binding_declarator',
      ['declarator'],
    ),
    type_parameter_declaration: ['*'],
    preproc_params: ['*'],
  },
  patterns: {
    ...kinds('pointer_declarator array_declarator function_declarator', ['declarator']),
    ...kinds('reference_declarator parenthesized_declarator structured_binding_declarator', []),
    qualified_identifier: ['name'],
  },
  ignored: ['labeled_statement', 'goto_statement'],
  members: { field_expression: ['argument', 'field'], qualified_identifier: ['scope', 'name'] },
  generics: ['template_function', 'template_method', 'template_type'],
  containers: kinds(`${RECORDS} namespace_definition`, 'name'),
  classes: RECORDS.split(' '),
  selves: ['this'],
  carriers: {
    ...kinds('template_type qualified_identifier', ['name']),
    ...kinds('struct_specifier union_specifier enum_specifier new_expression', []),
    type_descriptor: ['type'],
  },
  binders: {
    ...kinds('declaration parameter_declaration field_declaration init_declarator', 'declarator'),
  },
  literals: {},
  judge,
  moduleNames: (_, path) => moduleOfPath(path),
}

/** C++: its parser has names that the one of C does not know. */
export const CPP_USAGE: UsageGrammar = { ...C_USAGE, names: [...C_USAGE.names, 'namespace_identifier'] }

/** `struct name` without a body uses a name that is given elsewhere, and so do the types within a declarator. */
function judge(node: SgNode, kind: UsageKind): UsageKind | undefined {
  const parent = node.parent()
  if (kind !== 'definition' || !parent) return undefined
  const isUse = RECORDS.includes(String(parent.kind())) && findField(parent, 'body') === undefined
  return isUse ? 'reference' : undefined
}
