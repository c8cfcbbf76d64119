import { z } from 'zod'
import { PATTERN_SYNTAX, PATTERN_TIME_LIMIT_MS } from '../../../platform/patterns/patterns.ts'
import { guardScopeOf } from '../guard-scope.ts'
import type { ToolDeclaration } from '../tool.ts'
import { TOOL_ROLES } from '../tool-context.ts'
import { noteNotEntered, requireText, showMatches } from './search-answer.ts'
import { searchInput } from './search-input.ts'
import { FILE_MAX_BYTES, MATCH_LIMIT, SNIPPET_MAX_BYTES } from './search-limits.ts'
import { searchTree } from './search-tree.ts'

const output = z.object({
  matches: z.array(z.object({ file: z.string(), line: z.number(), column: z.number(), content: z.string() })),
  /** All matches there are; left out where a limit kept them from being counted. */
  total: z.number().optional(),
  capped: z.boolean(),
  files_searched: z.number(),
  files_skipped: z.number(),
  note: z.string().optional(),
})

/** Finds where a pattern occurs. */
export const searchFile: ToolDeclaration<typeof searchInput, z.output<typeof output>> = {
  name: 'search_file',
  description: [
    'Searches a file, the files of one folder, or with recursive those of all folders below it too.',
    'Each match has file (a path for other tools), line and column of its beginning (from 1), and content, the',
    `line; of a line over ${SNIPPET_MAX_BYTES} bytes the part around the match, with … where it was cut.`,
    `At most ${MATCH_LIMIT} matches are shown, in the order of paths; capped is true when there are more, and then`,
    'total may be missing: narrow the path or the regex, or use count_matches.',
    `Files that are no UTF-8 text or over ${FILE_MAX_BYTES} bytes are skipped and counted in files_skipped, as are`,
    'files and folders whose names have control characters or bytes that are no UTF-8; closed names (.git, .env,',
    '.flow, secrets, node_modules and those of the project) and links are passed over. A path that is itself such a',
    'file fails with BinaryFile or FileTooLarge.',
    'What read_file shows as a mark such as [REDACTED:rule] is hidden from regex too: nothing matches it or reaches',
    'over it; lines and columns are those of the text that read_file shows.',
    `${PATTERN_SYNTAX} A search in one text that takes over ${PATTERN_TIME_LIMIT_MS} ms is stopped with an error.`,
  ].join(' '),
  effect: 'read',
  idempotent: true,
  roles: TOOL_ROLES,
  input: searchInput,
  output,
  check: ({ guard, input }) => guard.check(input.path, 'read'),
  async handle({ context, policy, hub, input, guard, redactor, signal }) {
    const scope = guardScopeOf(context, policy, [hub.home.folder])
    const found = await searchTree({ scope, ...input, match_limit: MATCH_LIMIT, redactor, signal })
    requireText(guard, input.path, found)
    const matches = showMatches(found.files)
    const { files_searched } = found
    const files_skipped = found.files_skipped + found.unnameable
    const total = found.capped ? {} : { total: found.count }
    return {
      matches,
      ...total,
      capped: found.capped || matches.length < found.count,
      files_searched,
      files_skipped,
      ...noteNotEntered(guard, input, found.count),
    }
  },
}
