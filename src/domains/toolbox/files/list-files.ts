import { z } from 'zod'
import { FileFault } from '../../../platform/guard/guard.ts'
import type { ToolDeclaration } from '../tool.ts'
import { TOOL_ROLES } from '../tool-context.ts'
import { ToolFault } from '../tool-fault.ts'
import { FilePath } from './file-path.ts'

export const LISTED_MAX = 5_000

const Input = z.strictObject({
  path: FilePath.default('.').describe('A folder, relative to the service; . is the service itself'),
  recursive: z.boolean().default(false).describe('Whether to go into the folders below'),
})
const Output = z.strictObject({
  files: z.array(z.string()).describe('Paths that other tools take; folders end with /'),
  capped: z.boolean().describe('Whether there are more than are shown'),
  unnameable: z
    .int()
    .optional()
    .describe('How many have a name with control characters or bytes that are no UTF-8, which no tool takes'),
})

/** Shows what is in a folder. */
export const listFiles: ToolDeclaration<typeof Input, z.output<typeof Output>> = {
  name: 'list_files',
  description: [
    'Lists what is in a folder of your service or in a shared folder; with recursive also what is in the folders below.',
    'Paths are relative to the service and fit for the other file tools; those of folders end with /.',
    'Closed names (.env, .git, secrets, node_modules and those of the project) are not shown, links not followed.',
    'Files and folders whose names have control characters or bytes that are no UTF-8 are not shown either, for no',
    'tool takes such a name; unnameable says how many there are, if any.',
    `At most ${LISTED_MAX} are shown; capped says that there are more: list a folder further down then.`,
  ].join(' '),
  effect: 'read',
  idempotent: true,
  roles: TOOL_ROLES,
  input: Input,
  output: Output,
  handle({ guard, input }) {
    const options = { recursive: input.recursive, limit: LISTED_MAX }
    const { entries, capped, unnameable } = listOrExplain(() => guard.list(input.path, options))
    const files = entries.map(({ path, kind }) => (kind === 'folder' ? `${path}/` : path))
    return { files, capped, ...(unnameable > 0 && { unnameable }) }
  },
}

function listOrExplain<Found>(list: () => Found): Found {
  try {
    return list()
  } catch (error) {
    if (!(error instanceof FileFault) || error.code !== 'NotADirectory') throw error
    const suggestion = 'Use read_file for a file, or list the folder that it is in.'
    throw new ToolFault('NotADirectory', error.message, suggestion, { cause: error })
  }
}
