import { type Reader, sql } from '../../../../platform/storage/database.ts'
import { declaredTools } from '../../allowlist.ts'
import type { FlowBundle } from '../../bundle/flow-record.ts'

const FLOW_LIMIT = 10_000
const allBundles = sql<{ bundle_json: string }>(
  'SELECT bundle_json FROM flow_versions WHERE vault_id = ? ORDER BY flow_id, version_key LIMIT ?',
)

/** The external tools that any version of any flow of a vault declares: a grant can be minted for each. */
export async function toolsOfFlows(db: Reader, vault_id: string): Promise<ReadonlySet<string>> {
  const found = await db.all(allBundles, vault_id, FLOW_LIMIT)
  return new Set(
    found.flatMap(({ bundle_json }) => declaredTools((JSON.parse(bundle_json) as FlowBundle).steps)),
  )
}
