import { ownerRunCancel, ownerRunLiveList } from './run-cancel.ts'
import { connectionRun } from './run-connection.ts'
import { ownerRunList, ownerRunShow, ownerRunWatch } from './run-reads.ts'

/** What can be done with runs. */
export const runOperations = [
  ...connectionRun,
  ownerRunList,
  ownerRunShow,
  ownerRunWatch,
  ownerRunCancel,
  ownerRunLiveList,
]
