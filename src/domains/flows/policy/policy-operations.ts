import { policyCheck } from './check/policy-check.ts'
import { policyGateClose, policyGateOpen } from './policy-gates.ts'
import { policyHistory } from './policy-history.ts'
import { policyEdit, policyRevert } from './policy-revert.ts'
import { policyShow } from './policy-show.ts'
import { policyToolTest } from './policy-tool-test.ts'
import { policyToolAdd, policyToolRemove, policyToolShow } from './policy-tools.ts'

/** What the owner does with the policy of a vault. */
export const policyOperations = [
  policyShow,
  policyHistory,
  policyEdit,
  policyRevert,
  policyGateOpen,
  policyGateClose,
  policyToolAdd,
  policyToolRemove,
  policyToolShow,
  policyToolTest,
  policyCheck,
]
