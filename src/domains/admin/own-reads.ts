import type { Hub } from '../../operations/hub.ts'
import type { AuditRecord } from '../../platform/audit/audit-record.ts'

type Told = Pick<AuditRecord, 'caller_kind' | 'operation' | 'outcome'>

/**
 * Tells what the owner has only looked at. A page that is open reads all the time, and whoever wants to see what agents do
 * would see nothing but themselves.
 */
export function ownReadsOf({
  findOperation,
}: Pick<Hub, 'findOperation'>): (record: Told) => Promise<boolean> {
  const looked = new Map<string, boolean>()
  return async ({ caller_kind, operation, outcome }) => {
    if (outcome !== 'allowed' || !isOwnersOwn(caller_kind)) return false
    if (operation === 'owner_stream') return true
    if (!looked.has(operation)) looked.set(operation, (await findOperation(operation))?.effect === 'read')
    return looked.get(operation) === true
  }
}

function isOwnersOwn(caller_kind: string): boolean {
  return caller_kind === 'owner_session' || caller_kind === 'local'
}
