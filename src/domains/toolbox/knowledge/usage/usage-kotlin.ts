import type { SgNode } from '@ast-grep/napi'
import { kinds, moduleOfPath, type UsageGrammar, type UsageKind } from './usage-grammar.ts'

const TYPES = 'class_declaration object_declaration companion_object'

/** Kotlin. Its parser names no fields. */
export const KOTLIN_USAGE: UsageGrammar = {
  names: ['simple_identifier', 'type_identifier'],
  imports: ['import_header'],
  definitions: {
    ...kinds(
      'function_declaration variable_declaration parameter class_parameter enum_entry catch_block ' +
        'parameter_with_optional_type',
      [':simple_identifier'],
    ),
    ...kinds(`${TYPES} type_alias type_parameter`, [':type_identifier']),
    package_header: ['*'],
  },
  patterns: { identifier: [] },
  ignored: ['label'],
  members: {
    navigation_suffix: ['<', ':simple_identifier'],
  },
  containers: { ...kinds(TYPES, ':type_identifier'), function_declaration: ':simple_identifier' },
  classes: TYPES.split(' '),
  selves: ['this', 'super'],
  carriers: {
    ...kinds('user_type nullable_type parenthesized_expression', []),
    call_expression: [':simple_identifier'],
  },
  binders: {
    ...kinds('variable_declaration parameter class_parameter', ':simple_identifier'),
    property_declaration: ':variable_declaration',
  },
  literals: {},
  judge,
  moduleNames: (root, path) => [...moduleOfPath(path), ...packageOf(root)],
}

/** What is assigned through a receiver stands right beside it. */
function judge(node: SgNode, kind: UsageKind): UsageKind | undefined {
  const isPackage = kind === 'definition' && node.parent()?.parent()?.kind() === 'package_header'
  return isPackage && node.next() !== null ? 'reference' : undefined
}

function packageOf(root: SgNode): string[] {
  const header = root.find({ rule: { kind: 'package_header' } })
  return header?.text().match(/\w+$/) ?? []
}
