import { z } from 'zod'
import { FileFault } from '../../../platform/guard/guard.ts'
import { checkContent } from '../loom/check-edit-input.ts'
import { withLock } from '../loom/locks/file-lock.ts'
import { lockToolsOf } from '../loom/locks/lock-tools.ts'
import type { ToolCall, ToolDeclaration } from '../tool.ts'
import { ToolFault } from '../tool-fault.ts'
import { CHANGING_ROLES, FilePath } from './file-path.ts'

export const WRITE_MAX_BYTES = 1_048_576

const Input = z.strictObject({
  path: FilePath,
  content: z.string().max(WRITE_MAX_BYTES).describe('The whole new content; it is written as it is'),
})
const Output = z.strictObject({ path: z.string(), size: z.int().describe('In bytes') })

/** Writes a file whole, new or in the place of what it was. */
export const writeFile: ToolDeclaration<typeof Input, z.output<typeof Output>> = {
  name: 'write_file',
  description: [
    'Creates a file of your service with this content, folders included, or overwrites the whole file if there is',
    'one; it keeps the permissions and attributes of an existing file. To change a part of a file use edit_file.',
    `The content is UTF-8 text of at most ${WRITE_MAX_BYTES} bytes, written as given: line endings are not changed.`,
    'The whole call has the same limit, as JSON, in which quotes and line breaks take two characters each.',
    'Refused are content with a secret in it (SecurityError), content with a redaction mark such as [REDACTED:rule]',
    'that was copied from read_file (ValidationError: it would destroy the secret in the file), shared folders and',
    'closed names such as .env, .git, secrets and node_modules, and HEAD beside objects and refs.',
  ].join(' '),
  effect: 'update',
  idempotent: true,
  roles: CHANGING_ROLES,
  input: Input,
  output: Output,
  check({ guard, input, redactor }) {
    guard.check(input.path, 'write')
    checkSize(input.content)
    checkContent(input.content, redactor)
  },
  async handle(call) {
    const { path, size } = await withFileLock(call, () =>
      call.guard.writeFile(call.input.path, Buffer.from(call.input.content)),
    )
    return { path, size }
  },
}

function checkSize(content: string): void {
  const size = Buffer.byteLength(content)
  if (size <= WRITE_MAX_BYTES) return
  throw new ToolFault(
    'FileTooLarge',
    `The content has ${size} bytes; at most ${WRITE_MAX_BYTES} can be written.`,
    'Split it into several files.',
  )
}

/** Waits for an edit of the same file. Where even its folder is yet to be made, nobody can be at work on it. */
async function withFileLock<Result>(
  call: ToolCall<{ readonly path: string }>,
  write: () => Result,
): Promise<Result> {
  const folder = findFolder(call)
  if (!folder) return write()
  try {
    return await withLock(folder, lockToolsOf(call), write)
  } finally {
    folder.close()
  }
}

function findFolder({ guard, input }: ToolCall<{ readonly path: string }>) {
  try {
    return guard.holdFolder(input.path)
  } catch (error) {
    if (error instanceof FileFault && error.code === 'FileNotFound') return undefined
    throw error
  }
}
