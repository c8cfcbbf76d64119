import { ownerIntentAuthorize } from './authorize-intent.ts'
import { ownerAuthorizationFinish, ownerIntentComplete } from './complete-intent.ts'
import { ownerConnectionIntentCreate } from './create-intent.ts'
import { ownerDeviceList } from './devices.ts'
import { ownerCollectorEnroll } from './enroll-collector.ts'
import { ownerIntentCancel, ownerIntentList, ownerIntentShow } from './intents.ts'

/** From the wish for a connection to the connection. */
export const intentOperations = [
  ownerConnectionIntentCreate,
  ownerIntentList,
  ownerIntentShow,
  ownerIntentCancel,
  ownerIntentAuthorize,
  ownerIntentComplete,
  ownerAuthorizationFinish,
  ownerCollectorEnroll,
  ownerDeviceList,
]
