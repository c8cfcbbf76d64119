import { closesTool, foundIn, type PinReview, type ReviewFinding } from '../../../platform/pins/pin-review.ts'
import { findDefinition, findOpenReview, type PinnedTool } from '../../../platform/pins/review-store.ts'
import { partsThatDiffer } from '../../../platform/pins/tool-definition.ts'
import type { Reader } from '../../../platform/storage/database.ts'
import type { Facts } from '../activation/facts.ts'
import { type Grant, grantedPins } from '../grants/grant-record.ts'
import { pinnedTools } from './pinned-tools.ts'

const SAYS: Record<ReviewFinding, string> = {
  changed: 'the server defines it otherwise now',
  listed_twice: 'the server lists two tools of that name',
  missing: 'the server did not list it when it was looked for',
  unreadable: 'its definition is too large or nested too deep to be reviewed',
}

/** Whether the tools that a grant is used for are what the owner has reviewed; undefined where none is pinned. */
export async function judgePins(grant: Grant, { db, vault_id, rules, useOf }: Facts) {
  const pinned = pinnedTools(vault_id, rules.policy.value, useOf(grant).tools)
  if (pinned.length === 0) return undefined
  const judged = await Promise.all(pinned.map((tool) => judgePinned(db, tool, grant)))
  return {
    holds: judged.every(({ holds }) => holds),
    detail: judged.map(({ detail }) => detail).join('; '),
  }
}

/** Whether a tool is what the owner has reviewed, in words for its owner. */
async function judgePinned(db: Reader, tool: PinnedTool, grant: Grant) {
  const review = await findOpenReview(db, tool)
  const holds = !review || !closesTool(review)
  return { holds, detail: review ? await wordsOf(db, review) : asReviewed(tool, grant) }
}

function asReviewed({ tool_id, pin }: PinnedTool, grant: Grant): string {
  const minted = grantedPins(grant)[tool_id]
  const since = minted === pin ? '' : `; the grant was minted against ${minted ?? 'no pin'}`
  return `${tool_id} as reviewed, ${pin}${since}`
}

async function wordsOf(db: Reader, review: PinReview): Promise<string> {
  const { tool_id, review_id, opened_at, finding, pin } = review
  const [reviewed, found] = [await findDefinition(db, pin), foundIn(review)]
  const parts = reviewed && found ? ` (${partsThatDiffer(reviewed, found).join(', ')})` : ''
  return `${tool_id}: ${SAYS[finding]}${parts}, since ${opened_at}; \`knowtation provider review show ${review_id}\``
}
