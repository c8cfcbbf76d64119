import type { SgNode } from '@ast-grep/napi'
import { findField, kinds, moduleOfPath, type UsageGrammar, type UsageKind } from './usage-grammar.ts'

/** Ruby. */
export const RUBY_USAGE: UsageGrammar = {
  names: ['identifier', 'constant'],
  imports: [],
  definitions: {
    ...kinds(
      'method singleton_method class module alias optional_parameter keyword_parameter splat_parameter ' +
        'hash_splat_parameter block_parameter setter',
      ['name'],
    ),
    ...kinds('method_parameters block_parameters lambda_parameters', ['*']),
    assignment: ['left'],
    for: ['pattern'],
  },
  patterns: { left_assignment_list: [], destructured_parameter: [] },
  ignored: [],
  members: { call: ['receiver', 'method'], scope_resolution: ['scope', 'name'] },
  containers: kinds('class module method singleton_method', 'name'),
  classes: ['class', 'module'],
  selves: ['self', 'super'],
  carriers: { call: ['receiver'], scope_resolution: ['name'] },
  binders: { assignment: 'left' },
  literals: {},
  judge,
  moduleNames: (_, path) => moduleOfPath(path),
}

/** A variable is new where it first gets a value in its method; what is inherited from stands beside a name. */
function judge(node: SgNode, kind: UsageKind): UsageKind | undefined {
  if (kind !== 'definition' || node.kind() !== 'identifier') return undefined
  const place = node.parent()
  if (place?.kind() !== 'assignment') return undefined
  const scope = node
    .ancestors()
    .find((above) => /^(?:singleton_)?method$|^program$/.test(String(above.kind())))
  const first = scope
    ?.findAll({ rule: { kind: 'assignment' } })
    .find((one) => findField(one, 'left')?.text() === node.text())
  return first === undefined || first.id() === place.id() ? undefined : 'reference'
}
