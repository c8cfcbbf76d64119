import { flowImport } from './authoring/flow-import.ts'
import { flowPropose } from './authoring/flow-propose.ts'
import { flowProposeEdit } from './authoring/flow-propose-edit.ts'
import { proposalApprove } from './authoring/proposal-approve.ts'
import { proposalDiscard } from './authoring/proposal-discard.ts'
import { proposalEvaluate } from './authoring/proposal-evaluate.ts'
import { proposalList } from './authoring/proposal-list.ts'
import { proposalShow } from './authoring/proposal-show.ts'
import { flowCheck } from './flow-check.ts'
import { flowExport } from './flow-export.ts'
import { flowGet } from './flow-get.ts'
import { flowList } from './flow-list.ts'
import { flowProject } from './flow-project.ts'
import { grantList } from './grants/grant-list.ts'
import { grantMint } from './grants/grant-mint.ts'
import { grantPreview } from './grants/grant-preview.ts'
import { grantRevoke } from './grants/grant-revoke.ts'
import { grantTools } from './grants/grant-tools.ts'
import { purgeExpiredGrants } from './grants/purge-grants.ts'
import { explain } from './invoke/explain.ts'
import { invokeTool } from './invoke/invoke-tool.ts'
import { noticePolicies } from './policy/notice-policies.ts'
import { policyOperations } from './policy/policy-operations.ts'
import { providerOperations } from './providers/provider-operations.ts'
import { flowRunAdvance } from './runs/flow-run-advance.ts'
import { flowRunEvidence } from './runs/flow-run-evidence.ts'
import { flowRunExecute } from './runs/flow-run-execute.ts'
import { flowRunGet } from './runs/flow-run-get.ts'
import { flowRunList } from './runs/flow-run-list.ts'
import { flowRunStart } from './runs/flow-run-start.ts'
import { flowRunSubmitReview } from './runs/flow-run-submit-review.ts'
import { flowCompare } from './versions/flow-compare.ts'
import { flowRead, flowText } from './versions/flow-text-operations.ts'
import { flowToolList } from './versions/flow-tool-list.ts'
import { flowVersionList } from './versions/flow-version-list.ts'

/** What can be done with flows. */
export const flowOperations = [
  flowList,
  flowGet,
  flowProject,
  flowExport,
  flowCheck,
  flowToolList,
  flowVersionList,
  flowCompare,
  flowText,
  flowRead,
  flowPropose,
  flowProposeEdit,
  flowImport,
  proposalList,
  proposalShow,
  proposalEvaluate,
  proposalApprove,
  proposalDiscard,
  grantMint,
  grantPreview,
  grantTools,
  grantList,
  grantRevoke,
  invokeTool,
  explain,
  flowRunStart,
  flowRunList,
  flowRunGet,
  flowRunAdvance,
  flowRunEvidence,
  flowRunSubmitReview,
  flowRunExecute,
  ...policyOperations,
  ...providerOperations,
]

/** What the domain does by itself, now and then. */
export const flowChores = [
  { name: 'purge expired grants', every_ms: 60_000, run: purgeExpiredGrants },
  { name: 'notice policies that were changed by hand', every_ms: 5_000, run: noticePolicies },
]
