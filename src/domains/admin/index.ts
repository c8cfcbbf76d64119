import { auditExport } from './audit-export.ts'
import { auditHistogram } from './audit-histogram.ts'
import { auditList } from './audit-list.ts'
import { auditVerify } from './audit-verify.ts'
import { doctor } from './doctor.ts'
import { hubTokenRotate } from './hub-token-rotate.ts'
import { tellPolicies } from './known-hubs.ts'
import { labelList } from './labels/label-list.ts'
import { labelRemove } from './labels/label-remove.ts'
import { labelSet } from './labels/label-set.ts'
import { secretsKeyRotate } from './secrets-key-rotate.ts'
import { sendToSinks } from './sinks/send-records.ts'
import { tokenCreate } from './token-create.ts'
import { tokenList } from './token-list.ts'
import { tokenRevoke } from './token-revoke.ts'
import { whoami } from './whoami.ts'

/** What those who run the hub can do. */
export const adminOperations = [
  whoami,
  doctor,
  tokenCreate,
  tokenList,
  tokenRevoke,
  labelSet,
  labelRemove,
  labelList,
  hubTokenRotate,
  secretsKeyRotate,
  auditList,
  auditHistogram,
  auditVerify,
  auditExport,
]

/** What the domain does by itself, now and then. */
export const adminChores = [
  { name: 'tell policies', every_ms: 5_000, run: tellPolicies },
  { name: 'send records to sinks', every_ms: 1_000, run: sendToSinks },
]
