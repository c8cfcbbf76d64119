import { z } from 'zod'
import { boundedCache } from '../basics/cache.ts'
import type { Home } from '../basics/home.ts'
import { SCOPES } from './scopes.ts'
import { CLOSED_POLICY, VaultPolicy } from './vault-policy.ts'
import { type FileState, watchFile } from './watched-file.ts'

/** Vaults whose files are followed at once; the longest unused one is forgotten first. */
const FOLLOWED_LIMIT = 1_000

const override = () =>
  z.union([
    z.strictObject({ scopes: z.array(z.enum(SCOPES)) }),
    z.strictObject({ ambiguous: z.literal(true) }),
  ])

/** `<home>/vaults/<vault_id>/members.yaml`: caller id → the scopes that replace those of its role. */
const VaultMembers = z.lazy(() =>
  z.strictObject({ scope_overrides: z.record(z.string(), override()).optional() }),
)
type VaultMembers = z.infer<typeof VaultMembers>

const NO_MEMBERS: VaultMembers = {}

/** The owner's files of one vault, as they stand at this moment. */
export interface VaultRules {
  readonly policy: FileState<VaultPolicy>
  readonly members: FileState<VaultMembers>
  /** Names both files' content. */
  readonly revision: string
}

/** Answers the rules of any vault, read again whenever the owner has edited them. */
export function followPolicies(home: Home): (vault_id: string) => VaultRules {
  const followed = boundedCache(FOLLOWED_LIMIT, (vault_id) => followVault(home, vault_id))
  return (vault_id) => followed(vault_id)()
}

function followVault(home: Home, vault_id: string): () => VaultRules {
  const readPolicy = watchFile(home.vaultPolicy(vault_id), VaultPolicy, CLOSED_POLICY)
  const readMembers = watchFile(home.vaultMembers(vault_id), VaultMembers, NO_MEMBERS)
  return () => {
    const policy = readPolicy()
    const members = readMembers()
    const revision = members.revision === 'none' ? policy.revision : `${policy.revision}+${members.revision}`
    return { policy, members, revision }
  }
}
