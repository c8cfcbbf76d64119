import type { Operation } from '../../operations/define-operation.ts'

/**
 * Loads one operation by the words of its command, so that a command pays for no other. The build puts
 * the table here; run from its sources, the program has none and loads every operation.
 */
export const OPERATIONS_BY_COMMAND: Readonly<Record<string, () => Promise<Operation>>> = {}
