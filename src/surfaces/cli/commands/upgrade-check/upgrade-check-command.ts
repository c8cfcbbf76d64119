import { type Home, homeAt, listVaults } from '../../../../platform/basics/home.ts'
import { PACKAGE_VERSION } from '../../../../platform/basics/package-folder.ts'
import { printableLine } from '../../../../platform/basics/printable.ts'
import { readHubConfig } from '../../../../platform/policy/hub-config.ts'
import { followPolicies } from '../../../../platform/policy/policies.ts'
import { type KeptBackup, listUpgradeBackups } from '../../../../platform/storage/backup/upgrade-backups.ts'
import { inspectStore, type StoreFound } from '../../../../platform/storage/inspect-store.ts'
import { migrations } from '../../../../platform/storage/schema.ts'
import { schemaRelease } from '../../../../platform/storage/schema-release.ts'
import type { Invocation } from '../../command.ts'
import { openingFailure } from '../../hub/opening-failure.ts'
import { requireHome } from '../../hub/require-home.ts'

interface UpgradeCheck {
  readonly schema: 'knowtation.upgrade_check/v0'
  readonly version: string
  readonly home: string
  readonly database: Pick<StoreFound, 'kind'> & { step: number; newest: number; release: string }
  /** What the first start does to the database: nothing, steps that older programs live with, or steps that shut them out. */
  readonly migration: 'none' | 'begins' | 'adds' | 'shuts_out_older' | 'too_new'
  /** Whether the home is kept before the database is brought forward. */
  readonly keeps_before: boolean
  readonly kept: readonly KeptBackup[]
  readonly config_fault: string | null
  readonly vaults: readonly { vault_id: string; policy_fault: string | null; members_fault: string | null }[]
  readonly ready: boolean
}

/** `upgrade check`: what the first start of this program would change. Nothing is opened but to look at it. */
export async function checkUpgrade(invocation: Invocation): Promise<number> {
  requireHome(invocation)
  const { globals, env, io } = invocation
  const found = await lookAt(homeAt(globals.home, env), env)
  io.stdout.write(globals.json ? `${JSON.stringify(found)}\n` : `${renderCheck(found)}\n`)
  return found.ready ? 0 : 1
}

async function lookAt(home: Home, env: NodeJS.ProcessEnv): Promise<UpgradeCheck> {
  const { kind, step, is_usable } = await inspectStore(home, env).catch((error: unknown) => {
    throw openingFailure(error)
  })
  const newest = migrations.at(-1)?.version ?? 0
  const { keeps, config_fault } = readConfig(home)
  const rulesOf = followPolicies(home)
  const vaults = [...new Set(['default', ...listVaults(home)])].map((vault_id) => {
    const { policy, members } = rulesOf(vault_id)
    return { vault_id, policy_fault: policy.damaged ?? null, members_fault: members.damaged ?? null }
  })
  return {
    schema: 'knowtation.upgrade_check/v0',
    version: PACKAGE_VERSION,
    home: home.folder,
    database: { kind, step, newest, release: schemaRelease(migrations) },
    migration: is_usable ? migrationFrom(step) : 'too_new',
    keeps_before: keeps,
    kept: listUpgradeBackups(home),
    config_fault,
    vaults,
    ready: is_usable && config_fault === null,
  }
}

/** A step that is open to the program of before leaves it beside the new one. */
function migrationFrom(step: number): UpgradeCheck['migration'] {
  if (step === 0) return 'begins'
  const coming = migrations.filter(({ version }) => version > step)
  if (coming.length === 0) return 'none'
  const isOpen = coming.every(({ open_to }) => open_to !== undefined && open_to <= step)
  return isOpen ? 'adds' : 'shuts_out_older'
}

function readConfig(home: Home): { keeps: boolean; config_fault: string | null } {
  try {
    return { keeps: readHubConfig(home).backup_before_upgrade, config_fault: null }
  } catch (error) {
    return { keeps: true, config_fault: (error as Error).message }
  }
}

const STEPS: Readonly<Record<UpgradeCheck['migration'], string>> = {
  none: 'stays as it is',
  begins: 'is made by the first start',
  adds: 'is brought forward by the first start; hubs of before may go on beside it',
  shuts_out_older:
    'is brought forward by the first start; hubs of before are shut out, so stop all of them first',
  too_new: 'is of a newer program, which this one cannot follow',
}

function renderCheck(found: UpgradeCheck): string {
  const { database, migration, config_fault, vaults, ready } = found
  const faults = vaults.flatMap(({ vault_id, policy_fault, members_fault }) => [
    ...(policy_fault === null ? [] : [`policy of ${vault_id}  counts as closed: ${policy_fault}`]),
    ...(members_fault === null ? [] : [`members of ${vault_id}  count as none: ${members_fault}`]),
  ])
  const lines = [
    `knowtation ${found.version}, for ${found.home}`,
    '',
    `database  ${database.kind}, step ${database.step} of ${database.newest} (schema ${database.release}): ${STEPS[migration]}`,
    `backup    ${backupLine(found)}`,
    `config    ${config_fault ?? 'read as it is'}`,
    ...(faults.length > 0 ? faults : ['policies  read as they are']),
    '',
    ready ? 'Ready: start this program on the home.' : 'Not ready. Nothing was changed.',
  ]
  return lines.map(printableLine).join('\n')
}

function backupLine({ migration, keeps_before, kept, home }: UpgradeCheck): string {
  const [last] = kept
  const before = last ? `; the last upgrade kept ${last.folder} (step ${last.schema_version})` : ''
  if (migration === 'none' || migration === 'begins') return `none is needed${before}`
  if (!keeps_before)
    return `none is made (backup_before_upgrade: false): make one with \`knowtation backup create\`${before}`
  return `the home is kept in ${home}/before-upgrades first${before}`
}
