import { z } from 'zod'
import { withLock } from '../loom/locks/file-lock.ts'
import { lockToolsOf } from '../loom/locks/lock-tools.ts'
import type { ToolDeclaration } from '../tool.ts'
import { CHANGING_ROLES, FilePath } from './file-path.ts'
import { orMissing } from './missing-file.ts'

const Input = z.strictObject({ path: FilePath })
const Output = z.strictObject({ message: z.string(), path: z.string() })

/** Removes one file. */
export const deleteFile: ToolDeclaration<typeof Input, z.output<typeof Output>> = {
  name: 'delete_file',
  description:
    'Deletes exactly one regular file of your service. Folders (IsADirectory), links, patterns such as *.tmp, shared ' +
    'folders and closed names are refused. There is no way back but version control.',
  effect: 'delete',
  roles: CHANGING_ROLES,
  input: Input,
  output: Output,
  check: ({ guard, input }) => guard.check(input.path, 'write'),
  async handle(call) {
    const { guard, input } = call
    const folder = orMissing(call, input.path, () => guard.holdFolder(input.path))
    try {
      const { path } = await withLock(folder, lockToolsOf(call), () =>
        orMissing(call, input.path, () => guard.deleteFile(input.path)),
      )
      return { message: `Deleted ${path}.`, path }
    } finally {
      folder.close()
    }
  },
}
