import type { Hub } from '../../../operations/hub.ts'
import { hubRecord } from '../../../operations/hub-record.ts'
import { wakeReviewTeller } from '../../../platform/pins/pin-review.ts'
import { openReview, type PinnedTool } from '../../../platform/pins/review-store.ts'
import type { Judgement } from '../../../platform/pins/tool-definition.ts'
import type { Transaction } from '../../../platform/storage/database.ts'

/** Closes a tool whose server defines it otherwise than it was reviewed, on record, until the owner has looked. */
export async function closeTool(
  tx: Transaction,
  hub: Hub,
  tool: PinnedTool,
  { finding, found }: Judgement,
): Promise<void> {
  if (finding === 'as_reviewed') return
  const review_id = await openReview(tx, hub.system, tool, { finding, found })
  if (review_id === undefined) return
  hub.log.warn(
    { tool: tool.tool_id, vault_id: tool.vault_id, finding, review_id },
    'a pinned tool has changed',
  )
  hub.audit.leaveIn(
    tx,
    [hubRecord(hub, 'pin_changed', tool.vault_id, { kind: 'pin_review', id: review_id })],
    true,
  )
  wakeReviewTeller(tx, hub)
}
