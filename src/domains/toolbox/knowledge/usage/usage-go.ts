import type { SgNode } from '@ast-grep/napi'
import { findField, kinds, moduleOfPath, type UsageGrammar, type UsageKind } from './usage-grammar.ts'

const NAME = ['name']

/** Go. */
export const GO_USAGE: UsageGrammar = {
  names: ['identifier', 'field_identifier', 'type_identifier', 'package_identifier'],
  imports: ['import_declaration'],
  definitions: {
    ...kinds(
      'function_declaration method_declaration method_elem method_spec type_spec type_alias ' +
        'const_spec var_spec parameter_declaration variadic_parameter_declaration ' +
        'type_parameter_declaration field_declaration',
      NAME,
    ),
    ...kinds('short_var_declaration range_clause receive_statement', ['left']),
    type_switch_statement: ['alias'],
    package_clause: ['*'],
  },
  patterns: { expression_list: [] },
  ignored: [],
  members: { selector_expression: ['operand', 'field'], qualified_type: ['package', 'name'] },
  containers: {
    function_declaration: 'name',
    type_spec: 'name',
    method_declaration: 'receiver',
  },
  classes: ['method_declaration', 'type_spec'],
  selves: [],
  carriers: {
    ...kinds('pointer_type unary_expression expression_list parenthesized_expression', []),
    generic_type: ['type'],
    composite_literal: ['type'],
    qualified_type: ['name'],
  },
  binders: {
    short_var_declaration: 'left',
    ...kinds('var_spec parameter_declaration field_declaration', 'name'),
  },
  literals: { composite_literal: 'type' },
  judge,
  findMore,
  moduleNames: (root, path) => [...packageNames(root), ...folderName(path), ...moduleOfPath(path)],
}

/** `=` gives a value to older names where `:=` makes new ones. */
function judge(node: SgNode, kind: UsageKind): UsageKind | undefined {
  if (kind !== 'definition') return undefined
  const place = node.parent()?.kind() === 'expression_list' ? node.parent()?.parent() : node.parent()
  if (place?.kind() !== 'range_clause' && place?.kind() !== 'receive_statement') return undefined
  return place.children().some((child) => child.text() === ':=') ? undefined : 'reference'
}

/** The last name of an imported path is what the package is called by. */
function findMore(root: SgNode, name: string): SgNode[] {
  const paths = root.findAll({
    rule: { kind: 'interpreted_string_literal_content', inside: { kind: 'import_spec', stopBy: 'end' } },
  })
  return paths.filter((path) => lastName(path.text()) === name)
}

/** `v2` at the end of a path is the version of the package before it. */
function lastName(path: string): string | undefined {
  const names = path.split('/')
  const last = names.at(-1) ?? ''
  return /^v\d+$/.test(last) && names.length > 1 ? names.at(-2) : last
}

function packageNames(root: SgNode): string[] {
  const clause = root.find({ rule: { kind: 'package_clause' } })
  const name = clause?.namedChildren()[0]
  return name ? [name.text().replace(/_test$/, '')] : []
}

function folderName(path: string): string[] {
  const folder = path.split('/').at(-2)
  return folder === undefined ? [] : [folder]
}

/** The type that a method belongs to, out of its receiver. */
export function receiverType(receiver: SgNode): string {
  const type = receiver.find({ rule: { kind: 'type_identifier' } })
  return (type ?? findField(receiver, 'type') ?? receiver).text()
}
