import { z } from 'zod'
import { hubOwner } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { findRecord } from '../../../platform/audit/read-audit.ts'
import { ROLES, type Role } from '../../../platform/identity/caller.ts'
import type { Reader } from '../../../platform/storage/database.ts'
import { judgeAll, VerdictSchema } from '../activation/conditions.ts'
import { factsOf } from '../activation/facts.ts'
import { findGrant } from '../grants/grant-store.ts'

export const ExplainOutput = z.strictObject({
  schema: z.literal('knowtation.explain/v0'),
  allowed: z.boolean(),
  /** What the agent sees. */
  code: z.string().nullable(),
  policy_revision: z.string(),
  conditions: z.array(VerdictSchema),
  recorded: z
    .strictObject({ seq: z.int(), at: z.string(), outcome: z.string(), code: z.string().nullable() })
    .optional()
    .describe('How the call ended then; the conditions are those of now'),
})

export const explain = defineOperation({
  name: 'explain',
  summary: 'Tell the owner which conditions of a tool call hold and which one refuses it.',
  effect: 'read',
  authority: hubOwner(),
  // A lock is one of the answers.
  whileLocked: true,
  rest: 'GET /api/v1/explain',
  cli: 'explain <flow_id>',
  errors: {
    NOT_FOUND: {
      status: 404,
      message: 'There is no such record in this vault.',
      hint: '`knowtation audit list` has the numbers of a vault’s records; `--vault` names another vault.',
    },
  },
  target: ({ flow_id }) => (flow_id === undefined ? undefined : { kind: 'flow', id: flow_id }),
  input: z.strictObject({
    flow_id: z
      .string()
      .regex(/^flow_[a-z0-9_]{1,64}$/)
      .optional()
      .describe('The flow the call is for; not needed with a record'),
    record: z
      .int()
      .positive()
      .optional()
      .describe('The number of the audit record of a tool call, in place of all else'),
    flow_version: z
      .string()
      .max(64)
      .optional()
      .describe("The version the call names; the grant's own when left out"),
    tool_id: z.string().min(1).max(128).optional().describe('The tool that is called'),
    grant_id: z.string().max(64).optional().describe('The grant that is presented, by its id'),
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
  output: ExplainOutput,
  present: async () => (await import('./present-invoke.ts')).presentExplanation,
  async handle(context) {
    const { vault_id, db, hub, rules, now } = context
    const { recorded, ...asked } = await askedOf(context)
    const { flow_id, flow_version, tool_id, grant_id, credential_id, role } = asked
    const conditions = await judgeAll(
      factsOf({
        vault_id,
        db,
        env: hub.env,
        locks: hub.locks,
        rules,
        now,
        caller: { id: credential_id, role },
        findGrant: () => findGrant(db, vault_id, grant_id),
        // A call has to name the version; here it may be left out.
        useOf: (grant) => ({ flow_id, flow_version: flow_version ?? grant.flow_version, tools: [tool_id] }),
      }),
    )
    const failed = conditions.find((condition) => !condition.holds)
    return {
      schema: 'knowtation.explain/v0' as const,
      allowed: failed === undefined,
      code: failed?.code ?? null,
      policy_revision: rules.revision,
      conditions,
      ...(recorded && { recorded }),
    }
  },
})

interface Asking {
  input: { [Key in keyof Asked]?: Asked[Key] | undefined }
  vault_id: string
  db: Reader
  refuse(code: 'BAD_REQUEST' | 'NOT_FOUND', reason?: string): never
}

interface Asked {
  flow_id: string
  tool_id: string
  grant_id: string
  record: number
  flow_version: string
  credential_id: string
  role: Role
}

/** What is asked about: by its parts, or by the record that a call has left. */
async function askedOf({ input, vault_id, db, refuse }: Asking) {
  const { record: seq, flow_id, tool_id, grant_id, ...more } = input
  if (seq === undefined) {
    if (flow_id && tool_id && grant_id) return { ...more, flow_id, tool_id, grant_id, recorded: undefined }
    return refuse('BAD_REQUEST', 'Name flow_id, tool_id and grant_id, or a record.')
  }
  if (flow_id ?? tool_id ?? grant_id) refuse('BAD_REQUEST', 'A record tells flow, tool and grant itself.')
  const record = await findRecord(db, vault_id, seq)
  if (!record) return refuse('NOT_FOUND')
  if (record.operation !== 'flow_external_tool_invoke')
    refuse('BAD_REQUEST', 'That record is of another call than that of a granted tool.')
  const { at, outcome, code } = record
  return {
    ...more,
    // A tool that the policy did not list when it was called has no name in the record.
    flow_id: record.flow_id ?? '-',
    tool_id: record.target_id ?? '-',
    grant_id: record.grant_id ?? '-',
    flow_version: record.flow_version ?? undefined,
    credential_id: record.caller_id,
    recorded: { seq, at, outcome, code },
  }
}
