import { z } from 'zod'
import { hubOwner } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { ROLES } from '../../../platform/identity/caller.ts'
import { type Condition, ConditionSchema, judgeConditions } from './conditions.ts'

export const explain = defineOperation({
  name: 'explain',
  summary: 'Tell the owner which conditions of a tool call hold and which one refuses it.',
  effect: 'read',
  authority: hubOwner(),
  // A lock is one of the answers.
  whileLocked: true,
  rest: 'GET /api/v1/explain',
  cli: 'explain <flow_id>',
  errors: {},
  target: ({ flow_id }) => ({ kind: 'flow', id: flow_id }),
  input: z.strictObject({
    flow_id: z
      .string()
      .regex(/^flow_[a-z0-9_]{1,64}$/)
      .describe('The flow the call is for'),
    flow_version: z
      .string()
      .max(64)
      .optional()
      .describe("The version the call names; the grant's own when left out"),
    tool_id: z.string().min(1).max(128).describe('The tool that is called'),
    grant_id: z.string().max(64).describe('The grant that is presented, by its id'),
    credential_id: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe(
        "The id of the agent's own credential, such as tok_…, to check its locks and what it can see",
      ),
    role: z
      .enum(ROLES)
      .optional()
      .describe(
        "The role of the agent's own credential, to check what it can see; that of a token is known by its id",
      ),
  }),
  output: z.strictObject({
    schema: z.literal('knowtation.explain/v0'),
    allowed: z.boolean(),
    /** What the agent sees. */
    code: z.string().nullable(),
    policy_revision: z.string(),
    conditions: z.array(ConditionSchema),
  }),
  async handle({ input, vault_id, db, hub, rules, now }) {
    const conditions: Condition[] = await judgeConditions({
      ...input,
      vault_id,
      db,
      env: hub.env,
      locks: hub.locks,
      rules,
      now,
    })
    const failed = conditions.find((condition) => !condition.holds)
    return {
      schema: 'knowtation.explain/v0',
      allowed: failed === undefined,
      code: failed?.code ?? null,
      policy_revision: rules.revision,
      conditions,
    }
  },
})
