/** The first lock, shut when the program was built: a projection is never written back to its flow. */
export const FLOW_PROJECTION_WRITE_BACK_AUTHORIZED = false as const

/** Both locks together. The environment alone opens nothing while the first one is shut. */
export function isWriteBackAuthorized(env: Record<string, string | undefined>): boolean {
  return FLOW_PROJECTION_WRITE_BACK_AUTHORIZED && env.FLOW_PROJECTION_WRITE_BACK_AUTHORIZED === '1'
}
