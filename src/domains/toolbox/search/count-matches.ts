import { z } from 'zod'
import { PATTERN_SYNTAX, PATTERN_TIME_LIMIT_MS } from '../../../platform/patterns/patterns.ts'
import { guardScopeOf } from '../guard-scope.ts'
import type { ToolDeclaration } from '../tool.ts'
import { TOOL_ROLES } from '../tool-context.ts'
import { noteNotEntered, requireText } from './search-answer.ts'
import { searchInput } from './search-input.ts'
import { FILE_MAX_BYTES, SEARCH_TIME_LIMIT_MS } from './search-limits.ts'
import { searchTree } from './search-tree.ts'

const output = z.object({
  count: z.number(),
  files_searched: z.number(),
  files_skipped: z.number(),
  capped: z.boolean(),
  note: z.string().optional(),
})

/** Counts how often a pattern occurs. */
export const countMatches: ToolDeclaration<typeof searchInput, z.output<typeof output>> = {
  name: 'count_matches',
  description: [
    'Counts the matches of a regex in a file, in the files of one folder, or with recursive in all folders below',
    'it too. Several matches on a line count severally; the count for a file is the one that edit_file finds with',
    'the same regex. Use it before an edit, or to see how large a search would be.',
    `Files that are no UTF-8 text or over ${FILE_MAX_BYTES} bytes are skipped and counted in files_skipped, as are`,
    'files and folders whose names have control characters or bytes that are no UTF-8; closed names (.git, .env,',
    '.flow, secrets, node_modules and those of the project) and links are passed over. A path that is itself such a',
    'file fails with BinaryFile or FileTooLarge.',
    'What read_file shows as a mark such as [REDACTED:rule] is hidden from regex too: nothing matches it or reaches',
    'over it.',
    `capped is true when not everything could be counted within ${SEARCH_TIME_LIMIT_MS / 1000} s or the limits on`,
    `files; the count is then too low. ${PATTERN_SYNTAX} A search in one text that takes over`,
    `${PATTERN_TIME_LIMIT_MS} ms is stopped with an error.`,
  ].join(' '),
  effect: 'read',
  idempotent: true,
  roles: TOOL_ROLES,
  input: searchInput,
  output,
  check: ({ guard, input }) => guard.check(input.path, 'read'),
  async handle({ context, policy, hub, input, guard, redactor, signal }) {
    const scope = guardScopeOf(context, policy, [hub.home.folder])
    const found = await searchTree({ scope, ...input, redactor, signal })
    requireText(guard, input.path, found)
    const { count, files_searched, capped } = found
    const files_skipped = found.files_skipped + found.unnameable
    return { count, files_searched, files_skipped, capped, ...noteNotEntered(guard, input, count) }
  },
}
