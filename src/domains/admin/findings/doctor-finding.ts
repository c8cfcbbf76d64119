import { z } from 'zod'

/** One thing the doctor looked at. `fix` says what to do about it, when there is something to do. */
export const FindingSchema = z.strictObject({
  subject: z.string(),
  state: z.enum(['on', 'off', 'ok', 'wrong']),
  detail: z.string(),
  fix: z.string().nullable(),
})
export type Finding = z.infer<typeof FindingSchema>
