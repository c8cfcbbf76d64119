import type { VaultRules } from '../../../platform/policy/policies.ts'
import type { Finding } from './doctor-finding.ts'

/** The owner's files of the vault: in force, absent or damaged. */
export function policyFindings(rules: VaultRules, vault_id: string): Finding[] {
  return (['policy', 'members'] as const).map((name) => {
    const { damaged, revision } = rules[name]
    const absent = revision === 'none'
    return {
      subject: `${name} of vault ${vault_id}`,
      state: damaged ? 'wrong' : absent ? 'off' : 'on',
      detail: damaged ?? (absent ? 'no file, so the closed defaults count' : `revision ${revision}`),
      fix: damaged ? 'Mend or remove the file; until then everything it could allow is refused.' : null,
    }
  })
}
