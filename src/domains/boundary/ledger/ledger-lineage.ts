import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { boundaryErrors } from '../boundary-errors.ts'
import { LedgerId } from '../plain-id.ts'
import { ledgerTarget } from './ledger-record.ts'
import { findEntry } from './ledger-store.ts'
import { type LineageNode, walkLineage } from './walk-lineage.ts'

const DEPTH_LIMIT = 100
const NODE_LIMIT = 5_000
const NODES_USUAL = 1_000

const Node = z.strictObject({
  id: z.string(),
  tenantId: z.string(),
  module: z.string(),
  source: z.string(),
  type: z.string(),
  state: z.string(),
  createdAt: z.string(),
  depth: z.int(),
})

export const LedgerLineageOutput = z.strictObject({
  schema: z.literal('knowtation.ledger_lineage/v0'),
  vault_id: z.string(),
  direction: z.enum(['up', 'down']),
  nodes: z.array(Node),
  edges: z.array(z.strictObject({ id: z.string(), dependsOnLedgerId: z.string() })),
  truncated: z.boolean(),
})

export const ledgerLineage = defineOperation({
  name: 'ledger_lineage',
  summary: 'Walk from an entry to what it was made from, or to what was made from it.',
  effect: 'read',
  authority: vaultMember('read'),
  rest: 'GET /api/v1/ledger/entries/{ledger_id}/lineage',
  mcp: true,
  cli: 'ledger lineage <ledger_id>',
  errors: boundaryErrors.pick('unknown_ledger_entry'),
  target: ({ ledger_id }) => ledgerTarget(ledger_id),
  input: z.strictObject({
    ledger_id: LedgerId,
    direction: z
      .enum(['up', 'down'])
      .optional()
      .describe('up to its sources (if left out), down to what came of it'),
    depth: z
      .int()
      .min(1)
      .max(DEPTH_LIMIT)
      .optional()
      .describe(`At most so many steps; ${DEPTH_LIMIT} when left out`),
    limit: z
      .int()
      .min(1)
      .max(NODE_LIMIT)
      .optional()
      .describe(`At most so many entries; ${NODES_USUAL} when left out`),
  }),
  output: LedgerLineageOutput,
  present: async () => (await import('./present-ledger.ts')).presentLineage,
  async handle({ input, vault_id, db, refuse }) {
    const { direction = 'up', depth = DEPTH_LIMIT, limit = NODES_USUAL } = input
    const start = (await findEntry(db, vault_id, input.ledger_id)) ?? refuse('unknown_ledger_entry')
    const bounds = { vault_id, direction, max_depth: depth, max_nodes: limit }
    const { nodes, edges, truncated } = await walkLineage(db, start, bounds)
    return {
      schema: 'knowtation.ledger_lineage/v0',
      vault_id,
      direction,
      nodes: nodes.map(toNode),
      edges: edges.map(({ id, depends_on }) => ({ id, dependsOnLedgerId: depends_on })),
      truncated,
    }
  },
})

function toNode({ row, depth }: LineageNode): z.infer<typeof Node> {
  const { id, tenant_id: tenantId, module, source, type, state, created_at: createdAt } = row
  return { id, tenantId, module, source, type, state, createdAt, depth }
}
