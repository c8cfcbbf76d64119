import { z } from 'zod'

/** What a restore did, for the restored home's own record of it. */
export const Restoration = z.strictObject({
  restore_id: z.string().max(64),
  /** The name of the backup's folder. */
  backup: z.string().max(255),
  /** When the backup was made. */
  as_of: z.iso.datetime(),
  restored_at: z.iso.datetime(),
})
export type Restoration = z.infer<typeof Restoration>
