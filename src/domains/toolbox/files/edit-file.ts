import { z } from 'zod'
import { PATTERN_SYNTAX } from '../../../platform/patterns/patterns.ts'
import { checkEdits } from '../loom/check-edit-input.ts'
import { EDITED_MAX_BYTES, EDITS_MAX, EditInput } from '../loom/edit.ts'
import { LOCK_WAIT_MS } from '../loom/locks/file-lock.ts'
import { lockToolsOf } from '../loom/locks/lock-tools.ts'
import { type EditTools, type PreparedEdit, prepareEdit } from '../loom/prepare-edit.ts'
import type { Prepared, ToolCall, ToolDeclaration } from '../tool.ts'
import { CHANGING_ROLES, FilePath } from './file-path.ts'
import { missingFile, orMissing } from './missing-file.ts'

const LINES_SHOWN = 20

const Input = z.strictObject({
  path: FilePath,
  edits: z.array(EditInput).min(1).max(EDITS_MAX).describe('All are made, or none'),
})
const Output = z.strictObject({
  message: z.string(),
  path: z.string(),
  edits_applied: z.int(),
  edits: z
    .array(
      z.strictObject({
        matches: z.int(),
        lines: z.array(z.int()).describe(`Where the changes begin in the new file; the first ${LINES_SHOWN}`),
      }),
    )
    .describe('In the order of the call'),
})

/** The folder of the file is held, and the new file is written. */
interface ReadyEdit extends Prepared {
  readonly path: string
  readonly edit: PreparedEdit
}

/** Changes parts of a file. */
export const editFile: ToolDeclaration<typeof Input, z.output<typeof Output>, ReadyEdit> = {
  name: 'edit_file',
  description: [
    'Changes parts of a UTF-8 text file of your service: all edits of a call, or none.',
    'match_mode exact, the default, takes spec as plain text in which blanks and line breaks count: copy it from',
    'read_file, long enough to be found once. regex takes a pattern. ast takes an ast-grep pattern such as',
    'function $NAME($$$) { $$$ }, in TypeScript, JavaScript, Python, Go, Rust, Java, HTML and CSS files.',
    'Each spec must match exactly count times (1 unless given) in the file as it was before the call; otherwise',
    'nothing is changed, and PatchError says how many matches there are and where.',
    'Two edits may not touch the same line (ValidationError): join them, or use two calls.',
    'content is put in word for word; $1 and \\1 mean nothing. append_after and prepend_before put it on a line of',
    'its own, so let spec be a whole line. delete removes the match only: to remove a line, take its line break',
    'into spec. Where every line of the file ends with \\r\\n, or every one with \\r, line breaks in content become',
    'that; spec must have them as the file has. Byte order mark, permissions and the end of the file stay as they are.',
    'What read_file shows as a mark such as [REDACTED:rule] matches nothing and stays as it is: edit around it.',
    'Refused are edits after which there is a secret that was not there before (SecurityError), and marks in spec',
    'or content (ValidationError).',
    `A file that another call is changing is waited for, ${LOCK_WAIT_MS / 1000} s at most (ResourceBusy).`,
    `At most ${EDITS_MAX} edits and ${EDITED_MAX_BYTES} bytes. ${PATTERN_SYNTAX}`,
  ].join(' '),
  effect: 'update',
  roles: CHANGING_ROLES,
  input: Input,
  output: Output,
  async prepare(call) {
    const { guard, input, redactor } = call
    const folder = orMissing(call, input.path, () => guard.holdFolder(input.path))
    try {
      checkEdits(input.edits, redactor)
      const edit = await prepareEdit(folder, input.edits, toolsOf(call))
      if (!edit) throw missingFile(call, input.path)
      return { path: folder.path, edit, close: () => edit.close().finally(() => folder.close()) }
    } catch (error) {
      folder.close()
      throw error
    }
  },
  async handle(_, { path, edit }) {
    await edit.putInPlace()
    return renderOutcome(path, edit.lines)
  },
}

function toolsOf(call: ToolCall<unknown>): EditTools {
  const { patterns, redactor } = call
  return { patterns, redactor, lock: lockToolsOf(call) }
}

function renderOutcome(path: string, lines: readonly (readonly number[])[]): z.output<typeof Output> {
  const count = lines.length === 1 ? '1 edit' : `${lines.length} edits`
  return {
    message: `Applied ${count} to ${path}.`,
    path,
    edits_applied: lines.length,
    edits: lines.map((of_edit) => ({ matches: of_edit.length, lines: of_edit.slice(0, LINES_SHOWN) })),
  }
}
