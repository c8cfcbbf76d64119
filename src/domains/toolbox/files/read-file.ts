import { z } from 'zod'
import { FileFault } from '../../../platform/guard/guard.ts'
import { decodeText } from '../loom/decode-text.ts'
import type { ToolDeclaration } from '../tool.ts'
import { TOOL_ROLES } from '../tool-context.ts'
import { ToolFault } from '../tool-fault.ts'
import { FilePath } from './file-path.ts'
import { orMissing } from './missing-file.ts'

const READ_DEFAULT_BYTES = 102_400
/** As much as edit_file and write_file take. */
export const READ_MAX_BYTES = 1_048_576

const Input = z.strictObject({
  path: FilePath,
  max_bytes: z
    .int()
    .min(1)
    .default(READ_DEFAULT_BYTES)
    .describe(`A larger file is refused, not cut; one over ${READ_MAX_BYTES} in any case`),
})
const Output = z.strictObject({ content: z.string() })

/** Shows a text file whole. */
export const readFile: ToolDeclaration<typeof Input, z.output<typeof Output>> = {
  name: 'read_file',
  description: [
    'Reads a UTF-8 text file of your service or of a shared folder and returns all of it as content, with its line',
    'endings and its byte order mark as they are.',
    `A file over max_bytes (${READ_DEFAULT_BYTES} unless given, at most ${READ_MAX_BYTES}) fails with FileTooLarge;`,
    'use search_file to find the part you need. A file that is no UTF-8 text fails with BinaryFile.',
    'Secrets in the content are shown as marks like [REDACTED:rule]; do not copy a mark into edit_file or write_file.',
  ].join(' '),
  effect: 'read',
  idempotent: true,
  roles: TOOL_ROLES,
  input: Input,
  output: Output,
  handle(call) {
    const { path } = call.input
    const max_bytes = Math.min(call.input.max_bytes, READ_MAX_BYTES)
    const { bytes } = orMissing(call, path, () =>
      readOrExplain(() => call.guard.readFile(path, max_bytes), max_bytes),
    )
    return { content: decodeText(bytes, path) }
  },
}

function readOrExplain<Found>(read: () => Found, max_bytes: number): Found {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof FileFault) || error.code !== 'FileTooLarge') throw error
    const more = max_bytes < READ_MAX_BYTES ? `Raise max_bytes (at most ${READ_MAX_BYTES}), or use` : 'Use'
    throw new ToolFault('FileTooLarge', error.message, `${more} search_file to find the part you need.`, {
      cause: error,
    })
  }
}
