import type { Hub } from '../../../operations/hub.ts'

/** Seals the end of a chain, so that nobody without the key can cut or lengthen it unnoticed. */
export function sealOf(
  hub: Pick<Hub, 'audit'>,
  chain: { vault_id: string; tenant_id: string },
  head: { seq: number; hash: string },
): string {
  // The audit chain's own head is a bare hash here: no seal of one can pass for one of the other.
  const place = JSON.stringify(['ledger', chain.vault_id, chain.tenant_id, head.hash])
  return hub.audit.key.sealHead({ seq: head.seq, hash: place, checkpoint_seq: 0 })
}
