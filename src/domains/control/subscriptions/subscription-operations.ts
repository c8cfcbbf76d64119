import { subscriptionCreate } from './subscription-create.ts'
import { subscriptionDelete } from './subscription-delete.ts'
import { subscriptionEvents, subscriptionTest } from './subscription-events.ts'
import { subscriptionList, subscriptionShow } from './subscription-read.ts'
import { subscriptionUpdate } from './subscription-update.ts'

/** What can be done with event subscriptions. */
export const subscriptionOperations = [
  subscriptionCreate,
  subscriptionList,
  subscriptionShow,
  subscriptionUpdate,
  subscriptionDelete,
  subscriptionTest,
  subscriptionEvents,
]
