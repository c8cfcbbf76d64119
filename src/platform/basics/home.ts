import { lstatSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** Where everything of one local hub lives. */
export interface Home {
  readonly folder: string
  readonly database: string
  readonly hubToken: string
  readonly auditKey: string
  /** How far the audit log has come, kept beside the database. */
  readonly auditWitness: string
  /** What the credentials of connections are sealed with. */
  readonly secretsKey: string
  /** Where the key waits that is to take the place of that one, while they are exchanged. */
  readonly nextSecretsKey: string
  readonly config: string
  /** What a restore has left for the hub to put on record. */
  readonly restored: string
  /** What records are searched by; it can be made anew from the database, and is no part of a backup. */
  readonly recordIndex: string
  vaultPolicy(vault_id: string): string
  vaultMembers(vault_id: string): string
}

/** A vault's name; it is also a folder's name, so nothing that a file system could read otherwise. */
export const VAULT_ID = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** The vaults that have files of the owner's. */
export function listVaults({ folder }: Pick<Home, 'folder'>): string[] {
  const vaults = join(folder, 'vaults')
  if (!lstatSync(vaults, { throwIfNoEntry: false })?.isDirectory()) return []
  return readdirSync(vaults).filter((name) => VAULT_ID.test(name))
}

/** The files of a home: `--home`, else KNOWTATION_HOME, else ~/.knowtation. */
export function homeAt(chosen: string | undefined, env: NodeJS.ProcessEnv): Home {
  const folder = resolve(chosen ?? (env.KNOWTATION_HOME || join(homedir(), '.knowtation')))
  return {
    folder,
    database: join(folder, 'knowtation.db'),
    hubToken: join(folder, 'hub-token'),
    auditKey: join(folder, 'audit-key'),
    auditWitness: join(folder, 'audit-witness'),
    secretsKey: join(folder, 'secrets-key'),
    nextSecretsKey: join(folder, 'secrets-key.next'),
    restored: join(folder, 'restored.json'),
    config: join(folder, 'config.yaml'),
    recordIndex: join(folder, 'record-index.db'),
    vaultPolicy: (vault_id) => join(folder, 'vaults', vault_id, 'policy.yaml'),
    vaultMembers: (vault_id) => join(folder, 'vaults', vault_id, 'members.yaml'),
  }
}
