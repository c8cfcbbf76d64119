import { z } from 'zod'
import { hubOwner } from '../../operations/authority.ts'
import { defineOperation } from '../../operations/define-operation.ts'
import { PACKAGE_VERSION } from '../../platform/basics/package-folder.ts'
import { alertFindings } from './findings/alerts.ts'
import { auditFindings } from './findings/audit.ts'
import { authorizationFindings } from './findings/authorizations.ts'
import { backupFindings } from './findings/backup-findings.ts'
import { clockFindings } from './findings/clock-findings.ts'
import { type Finding, FindingSchema } from './findings/doctor-finding.ts'
import { fileFindings } from './findings/files.ts'
import { gateFindings } from './findings/gate-findings.ts'
import { ledgerFindings } from './findings/ledger.ts'
import { otherHubFindings } from './findings/other-hubs.ts'
import { ownUserFindings } from './findings/own-user.ts'
import { policyFindings } from './findings/policy.ts'
import { sandboxFindings } from './findings/sandbox-findings.ts'
import { schemaFindings } from './findings/schema-findings.ts'
import { sinkFindings } from './findings/sink-findings.ts'

export const DoctorOutput = z.strictObject({
  schema: z.literal('knowtation.doctor/v0'),
  version: z.string(),
  database: z.enum(['sqlite', 'postgres']),
  healthy: z.boolean(),
  findings: z.array(FindingSchema),
})

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
  output: DoctorOutput,
  present: async () => (await import('./present-hub.ts')).presentDoctor,
  async handle({ hub, rules, vault_id }) {
    const findings: Finding[] = [
      ...fileFindings(hub.home),
      ...ownUserFindings(),
      ...policyFindings(rules, vault_id),
      ...gateFindings(hub.env, rules.policy.value),
      ...(await auditFindings(hub)),
      ...(await ledgerFindings(hub)),
      ...(await alertFindings(hub)),
      ...(await authorizationFindings(hub)),
      ...(await backupFindings(hub)),
      ...(await schemaFindings(hub)),
      ...(await clockFindings(hub)),
      ...(await otherHubFindings(hub)),
      ...(await sinkFindings(hub)),
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
