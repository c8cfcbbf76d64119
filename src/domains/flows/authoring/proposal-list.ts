import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { cutPage, findPlace, pageInputs } from '../../../operations/page-cursor.ts'
import { flowErrors } from '../flow-errors.ts'
import { requireVisibleScopes } from '../visibility.ts'
import { PROPOSAL_STATUSES, ProposalReview } from './proposal-record.ts'
import { listProposals } from './proposal-store.ts'

const LIST_LIMIT = 200
const LIST_DEFAULT = 50

export const ProposalListOutput = z.strictObject({
  schema: z.literal('knowtation.flow_proposal_list/v0'),
  vault_id: z.string(),
  proposals: z.array(ProposalReview),
  next_cursor: z.string().nullable(),
})

export const proposalList = defineOperation({
  name: 'proposal_list',
  summary: 'List proposals that the caller may see, newest first.',
  effect: 'read',
  authority: vaultMember('read'),
  rest: 'GET /api/v1/proposals',
  mcp: true,
  cli: 'proposal list',
  errors: flowErrors.pick('FLOW_SCOPE_AMBIGUOUS'),
  input: z.strictObject({
    status: z.enum(PROPOSAL_STATUSES).optional().describe('Only proposals in this state'),
    ...pageInputs(LIST_LIMIT, LIST_DEFAULT),
  }),
  output: ProposalListOutput,
  present: async () => (await import('./present-proposals.ts')).presentProposalList,
  async handle(context) {
    const { input, vault_id, db, refuse } = context
    const { status, limit = LIST_DEFAULT, cursor } = input
    const after = findPlace(cursor) ?? refuse('BAD_REQUEST', 'cursor does not have the required form.')
    const scopes = requireVisibleScopes(context)
    const found = await listProposals(db, { vault_id, status, scopes, after, limit: limit + 1 })
    const { items: proposals, next_cursor } = cutPage(found, limit, (one) => ({
      at: one.created_at,
      id: one.proposal_id,
    }))
    return { schema: 'knowtation.flow_proposal_list/v0', vault_id, proposals, next_cursor }
  },
})
