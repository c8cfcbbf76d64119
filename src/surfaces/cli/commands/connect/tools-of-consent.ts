import { z } from 'zod'
import { explainTools, type ToolFilter } from '../../../../domains/flows/grants/explain-tools.ts'
import { hasAuthority } from '../../../../operations/authority.ts'
import type { Hub } from '../../../../operations/hub.ts'
import { runOperation } from '../../../../operations/run-operation.ts'
import { localCaller, ROLES } from '../../../../platform/identity/caller.ts'

const Consent = z.object({
  kind: z.enum(['membership', 'grant']),
  vault_id: z.string(),
  role: z.enum(ROLES).nullable(),
  grant_id: z.string().nullable(),
})

/** The tools that a client sees under a consent, and how it came to these: for the owner, never for the client. */
export async function toolsOfConsent(
  hub: Hub,
  consent_id: string,
): Promise<{ tools: readonly string[]; filters: readonly ToolFilter[] }> {
  const operation = await hub.findOperation('owner_consent_show')
  if (!operation) return { tools: [], filters: [] }
  const call = { operation, surface: 'cli', caller: localCaller('knowtation'), address: 'local' } as const
  const answer = await runOperation(hub, { ...call, vault: undefined, input: { consent_id } })
  const consent = Consent.parse(JSON.parse(answer.text))
  const { kind, vault_id, grant_id, role } = consent
  return kind === 'grant' ? explainTools(hub, vault_id, grant_id ?? '') : toolsOfRole(role ?? 'viewer')
}

async function toolsOfRole(role: (typeof ROLES)[number]) {
  const { allOperations } = await import('../../../../domains/index.ts')
  const offered = allOperations.filter(({ mcp }) => mcp)
  const caller = { kind: 'token', id: '-', role, vaults: [], client: 'other' } as const
  const allowed = offered.filter(({ authority }) => hasAuthority(authority, caller))
  const filters = [
    { filter: 'offered over MCP', before: allOperations.length, after: offered.length, detail: 'operations' },
    {
      filter: `allowed to the role ${role}`,
      before: offered.length,
      after: allowed.length,
      detail: 'operations',
    },
  ]
  return { tools: allowed.map(({ name }) => name), filters }
}
