import { findClosedTools } from '../../../platform/pins/review-store.ts'
import type { Reader } from '../../../platform/storage/database.ts'
import type { AllowedTool } from '../allowlist.ts'
import { pinnedTool } from './pinned-tools.ts'

/** The tools without those that are closed because their server defines them otherwise than they were reviewed. */
export async function openTools(
  { db }: { readonly db: Reader },
  vault_id: string,
  tools: readonly AllowedTool[],
): Promise<AllowedTool[]> {
  if (!tools.some(({ pin }) => pin !== undefined)) return [...tools]
  const isClosed = await findClosedTools(db, vault_id)
  return tools.filter((tool) => {
    const pinned = pinnedTool(vault_id, tool)
    return !pinned || !isClosed(pinned)
  })
}
