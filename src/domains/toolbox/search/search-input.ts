import { z } from 'zod'
import { PATTERN_MAX_CHARS } from '../../../platform/patterns/patterns.ts'

/** What search_file and count_matches are given. */
export const searchInput = z.strictObject({
  path: z.string().describe('File or folder, relative to the service; "." is the service itself.'),
  regex: z.string().min(1).max(PATTERN_MAX_CHARS).describe('What to look for.'),
  recursive: z.boolean().default(false).describe('Whether folders below the given one are searched too.'),
})
