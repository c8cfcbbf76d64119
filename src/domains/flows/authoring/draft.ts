import { findBundleFault } from '../bundle/check-bundle.ts'
import { canonicalBundle, type FlowBundle, type FlowBundleDraft } from '../bundle/flow-record.ts'

interface Given {
  flow?: unknown
  steps?: unknown
  bundle?: unknown
}

/** The draft in canonical form, given whole or in its two parts, or the words for what is wrong with it. */
export function readDraftInput(given: Given): FlowBundle | string {
  const { flow, steps, bundle } = given
  const inParts = flow !== undefined || steps !== undefined
  if (bundle !== undefined && inParts)
    return 'the draft must be given as bundle or as flow and steps, not both'
  const draft = bundle ?? { flow, steps }
  const fault = findBundleFault(draft)
  return fault ?? canonicalBundle(draft as FlowBundleDraft)
}
