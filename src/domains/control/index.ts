import { approvalOperations } from './approvals/approval-operations.ts'
import { clientSettings } from './clients/client-settings.ts'
import { connectionReactivate, connectionRename, connectionRevoke } from './connections/connection-changes.ts'
import { connectionDelete } from './connections/connection-delete.ts'
import { connectionDiagnostics } from './connections/connection-diagnostics.ts'
import { ownerConnectionList, ownerConnectionShow } from './connections/connection-list.ts'
import { ownerConnectorTemplateList } from './connectors/template-list.ts'
import { consentOperations } from './consents/consent-operations.ts'
import { controlChores } from './control-chores.ts'
import { ownerControl } from './control-document.ts'
import { intentOperations } from './intents/intent-operations.ts'
import { ownerAgentList, ownerAgentRevoke } from './owner/agents.ts'
import { ownerDeviceApprove, ownerDeviceDeny, ownerDeviceShow } from './owner/device.ts'
import { ownerLinkCreate } from './owner/link-create.ts'
import { ownerPasskeyList, ownerPasskeyRemove } from './owner/passkeys.ts'
import { ownerPresenceDecide, ownerPresenceShow } from './owner/presence.ts'
import { ownerRequestList } from './owner/request-list.ts'
import { ownerSessionList, ownerSignOutEverywhere } from './owner/sign-out.ts'
import { pinAccept } from './pins/pin-accept.ts'
import { pinReviewOperations } from './pins/pin-review-operations.ts'
import { providerImport } from './pins/provider-import.ts'
import { providerTake } from './pins/provider-take.ts'
import { recordOperations } from './records/record-operations.ts'
import { runOperations } from './runs/run-operations.ts'
import { scheduleOperations } from './schedules/schedule-operations.ts'
import { ownerEventList } from './spine/event-list.ts'
import { ownerEventVerify } from './spine/event-verify.ts'
import { subscriptionOperations } from './subscriptions/subscription-operations.ts'

/** The owner's side: who the owner is, and what the owner's agents may do. */
export const controlOperations = [
  ownerControl,
  ownerLinkCreate,
  ownerSessionList,
  ownerSignOutEverywhere,
  ownerRequestList,
  ownerDeviceShow,
  ownerDeviceApprove,
  ownerDeviceDeny,
  ownerAgentList,
  ownerAgentRevoke,
  ownerPasskeyList,
  ownerPasskeyRemove,
  ownerPresenceShow,
  ownerPresenceDecide,
  ownerConnectorTemplateList,
  ownerConnectionList,
  ownerConnectionShow,
  ...connectionRename,
  ...connectionRevoke,
  ...connectionReactivate,
  ...connectionDelete,
  ...connectionDiagnostics,
  ...intentOperations,
  ownerEventList,
  ownerEventVerify,
  ...runOperations,
  ...scheduleOperations,
  ...recordOperations,
  ...subscriptionOperations,
  ...consentOperations,
  ...approvalOperations,
  providerImport,
  providerTake,
  pinAccept,
  ...pinReviewOperations,
  clientSettings,
]

export { controlChores }
