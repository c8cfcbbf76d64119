import { controlChores } from './control-chores.ts'
import { ownerControl } from './control-document.ts'
import { ownerAgentList, ownerAgentRevoke } from './owner/agents.ts'
import { ownerDeviceApprove, ownerDeviceDeny, ownerDeviceShow } from './owner/device.ts'
import { ownerLinkCreate } from './owner/link-create.ts'
import { ownerSessionList, ownerSignOutEverywhere } from './owner/sign-out.ts'

/** The owner's side: who the owner is, and what the owner's agents may do. */
export const controlOperations = [
  ownerControl,
  ownerLinkCreate,
  ownerSessionList,
  ownerSignOutEverywhere,
  ownerDeviceShow,
  ownerDeviceApprove,
  ownerDeviceDeny,
  ownerAgentList,
  ownerAgentRevoke,
]

export { controlChores }
