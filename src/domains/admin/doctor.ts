import { z } from 'zod'
import { hubOwner } from '../../operations/authority.ts'
import { defineOperation } from '../../operations/define-operation.ts'
import { PACKAGE_VERSION } from '../../platform/basics/package-folder.ts'
import { alertFindings } from './findings/alerts.ts'
import { auditFindings } from './findings/audit.ts'
import { fileFindings } from './findings/files.ts'
import { type Finding, FindingSchema } from './findings/finding.ts'
import { gateFindings } from './findings/gates.ts'
import { policyFindings } from './findings/policy.ts'
import { sandboxFindings } from './findings/sandbox.ts'

export const doctor = defineOperation({
  name: 'doctor',
  summary: 'Say what is on, what is off, what is wrong, and how to mend it.',
  effect: 'read',
  authority: hubOwner(),
  whileLocked: true,
  whileDamaged: true,
  rest: 'GET /api/v1/doctor',
  cli: 'doctor',
  errors: {},
  input: z.strictObject({}),
  output: z.strictObject({
    schema: z.literal('knowtation.doctor/v0'),
    version: z.string(),
    database: z.enum(['sqlite', 'postgres']),
    healthy: z.boolean(),
    findings: z.array(FindingSchema),
  }),
  async handle({ hub, rules, vault_id }) {
    const findings: Finding[] = [
      ...fileFindings(hub.home),
      ...policyFindings(rules, vault_id),
      ...gateFindings(hub.env, rules.policy.value),
      ...(await auditFindings(hub)),
      ...(await alertFindings(hub)),
      ...(await sandboxFindings()),
    ]
    return {
      schema: 'knowtation.doctor/v0',
      version: PACKAGE_VERSION,
      database: hub.db.kind,
      healthy: findings.every((finding) => finding.state !== 'wrong'),
      findings,
    }
  },
})
