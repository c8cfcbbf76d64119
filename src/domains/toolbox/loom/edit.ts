import { z } from 'zod'

export const OPERATIONS = ['replace', 'append_after', 'prepend_before', 'delete'] as const
const MATCH_MODES = ['exact', 'regex', 'ast'] as const
export const EDITS_MAX = 100
const SPEC_MAX_CHARS = 65_536
const CONTENT_MAX_CHARS = 1_048_576
const COUNT_MAX = 10_000
/** The size of a file that is edited, before the edit and after it. */
export const EDITED_MAX_BYTES = 1_048_576

/** One edit, as a call has it. */
export const EditInput = z.strictObject({
  operation: z
    .enum(OPERATIONS)
    .describe(
      'replace: content takes the place of the match. append_after: a line break and content are put after it. ' +
        'prepend_before: content and a line break are put before it. delete: the match is removed',
    ),
  match_mode: z
    .enum(MATCH_MODES)
    .default('exact')
    .describe('exact: spec is plain text. regex: a pattern. ast: an ast-grep pattern'),
  spec: z.string().min(1).max(SPEC_MAX_CHARS).describe('What to find'),
  content: z
    .string()
    .max(CONTENT_MAX_CHARS)
    .optional()
    .describe('What to put in, word for word; needed for all but delete'),
  count: z
    .int()
    .min(1)
    .max(COUNT_MAX)
    .default(1)
    .describe('How many matches there are; any other number in the file stops the whole call'),
})
export type Edit = z.output<typeof EditInput>

/** A part of a text, as indexes into it; `end` is not in it any more. */
export interface Span {
  readonly start: number
  readonly end: number
}
