import { z } from 'zod'
import type { ToolRole } from '../tool-context.ts'

/** The path of a file, as every file tool takes it; what it may be is the guard's to say. */
export const FilePath = z
  .string()
  .describe('Relative to the service, with / between names, such as src/main.ts')

/** Who may change the source of a service. */
export const CHANGING_ROLES: readonly ToolRole[] = ['dev', 'sre', 'release_manager']
