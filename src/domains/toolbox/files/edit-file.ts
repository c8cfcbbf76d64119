import { z } from 'zod'
import type { HeldFolder } from '../../../platform/guard/guard.ts'
import { PATTERN_SYNTAX } from '../../../platform/patterns/patterns.ts'
import { checkEdits } from '../loom/check-input.ts'
import { EDITED_MAX_BYTES, EDITS_MAX, EditInput } from '../loom/edit.ts'
import { editInPlace } from '../loom/edit-in-place.ts'
import type { EditTools } from '../loom/edit-steps.ts'
import { LOCK_WAIT_MS } from '../loom/file-lock.ts'
import { lockToolsOf } from '../loom/lock-tools.ts'
import { type ReadyEdit, readyEdit } from '../loom/ready-edit.ts'
import type { ToolCall, ToolDeclaration } from '../tool.ts'
import { FilePath } from './file-path.ts'
import { CHANGING_ROLES } from './file-roles.ts'
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

/** The folder of the file is held, and what could be made ready is. */
interface Begun {
  readonly folder: HeldFolder
  readonly ready: ReadyEdit | undefined
}

/** Changes parts of a file. */
export const editFile: ToolDeclaration<typeof Input, z.output<typeof Output>, Begun> = {
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
  check(call) {
    const { guard, input, redactor } = call
    const folder = orMissing(call, input.path, () => guard.holdFolder(input.path))
    try {
      checkEdits(input.edits, redactor)
      return { folder, ready: readyEdit(folder, input.edits, toolsOf(call)) }
    } catch (error) {
      folder.close()
      throw error
    }
  },
  async abandon({ folder, ready }) {
    try {
      await ready?.abandon()
    } finally {
      folder.close()
    }
  },
  async handle(call, { folder, ready }) {
    try {
      const plan = await (ready?.finish() ?? editInPlace(folder, call.input.edits, toolsOf(call)))
      if (!plan) throw missingFile(call, call.input.path)
      return renderOutcome(folder.path, plan.lines)
    } finally {
      folder.close()
    }
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
