import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Hub } from '../../../operations/hub.ts'
import { VAULT_ID } from '../../../platform/basics/home.ts'
import { noticeEdits } from '../../../platform/policy-edits/notice-edits.ts'

const VAULT_LIMIT = 1_000

/** Puts on record what policies say that were changed by hand, also where nobody asks for it. */
export async function noticePolicies(hub: Hub): Promise<void> {
  for (const vault_id of vaultsOf(hub)) {
    try {
      await noticeEdits(hub, vault_id)
    } catch (error) {
      hub.log.warn({ vault: vault_id, fault: (error as Error).name }, 'a policy cannot be looked at')
    }
  }
}

function vaultsOf({ home }: Hub): string[] {
  const folder = dirname(dirname(home.vaultPolicy('default')))
  try {
    return readdirSync(folder)
      .filter((name) => VAULT_ID.test(name))
      .slice(0, VAULT_LIMIT)
  } catch {
    return []
  }
}
