import type { Presented } from '../../../operations/define-operation.ts'

/** A grant to hold up comes from the environment: a command line is seen by every process and kept in histories. */
export function presentedBy(env: NodeJS.ProcessEnv): Presented {
  const { KNOWTATION_GRANT_BEARER: external_bearer, KNOWTATION_GRANT_ID: grant_id } = env
  return { ...(external_bearer && { external_bearer }), ...(grant_id && { grant_id }) }
}
