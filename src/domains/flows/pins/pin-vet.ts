import type { Hub } from '../../../operations/hub.ts'
import { cachePerObject } from '../../../platform/basics/cache.ts'
import { partOf } from '../../../platform/basics/part-of.ts'
import { findPinned, type Judgement, judgeListed } from '../../../platform/pins/tool-definition.ts'
import type { Vet } from '../../../platform/upstream/mcp/tool-listing.ts'
import { UpstreamFailure } from '../../../platform/upstream/upstream-failure.ts'

/** Looks at the definition of one call's tool, and knows afterwards what it has found. */
export interface PinVet {
  readonly vet: Vet
  /** What speaks against the tool itself, where that is why the call failed. */
  objectionIn(failure: UpstreamFailure): Judgement | undefined
}

/** Every call looks at a definition, and a listing stands for many calls. */
function openReader(_hub: Hub) {
  return cachePerObject(findPinned)
}

/** Ends a call before it is sent, where the tool is not what was reviewed. */
export function pinVet(hub: Hub, pin: string): PinVet {
  let judged: Judgement | undefined
  return {
    vet(listed) {
      judged = judgeListed(listed, pin, partOf(hub, openReader))
      if (judged.finding !== 'as_reviewed') throw new UpstreamFailure('not_as_reviewed', false)
    },
    objectionIn({ reason }) {
      if (reason === 'tool_missing') return { finding: 'missing', found: undefined }
      return reason === 'not_as_reviewed'
        ? (judged ?? { finding: 'unreadable', found: undefined })
        : undefined
    },
  }
}
