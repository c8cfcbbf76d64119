import { z } from 'zod'

/** The path of a file, as every file tool takes it; what it may be is the guard's to say. */
export const FilePath = z
  .string()
  .describe('Relative to the service, with / between names, such as src/main.ts')
