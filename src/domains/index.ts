import { adminOperations } from './admin/index.ts'
import { flowOperations } from './flows/index.ts'

/** Every operation of the hub. A new domain is added here and nowhere else. */
export const allOperations = [...flowOperations, ...adminOperations]
