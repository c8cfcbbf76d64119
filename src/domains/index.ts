import type { Hub } from '../operations/hub.ts'
import { adminChores, adminOperations } from './admin/index.ts'
import { boundaryChores, boundaryOperations, sealLedger } from './boundary/index.ts'
import { controlChores, controlOperations } from './control/index.ts'
import { flowChores, flowOperations } from './flows/index.ts'
import { toolboxChores, toolboxOperations } from './toolbox/index.ts'

/** Work a domain does by itself while the hub runs; no call waits for it. */
export interface Chore {
  name: string
  every_ms: number
  run(hub: Hub): Promise<void>
}

/** Every operation of the hub. A new domain is added here and nowhere else. */
export const allOperations = [
  ...flowOperations,
  ...toolboxOperations,
  ...boundaryOperations,
  ...controlOperations,
  ...adminOperations,
]

/** What the audit log must tell anew before its oldest records go. */
export const beforePruning = sealLedger

export const allChores: readonly Chore[] = [
  ...flowChores,
  ...toolboxChores,
  ...boundaryChores,
  ...controlChores,
  ...adminChores,
]
