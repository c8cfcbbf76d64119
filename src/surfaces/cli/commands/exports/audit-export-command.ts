import { UsageError } from '../../cli-errors.ts'
import { findFlag, isFlagOn } from '../../command.ts'
import type { Extension } from '../../operation-command.ts'
import { linesExport } from './lines-export.ts'

const exporting = linesExport({
  page_limit: 10_000,
  verify_command: 'knowtation audit verify --file',
})

/** `audit export`: the whole log as signed lines; with --follow each record as it comes, in the form of others. */
export const auditExportExtension: Extension = {
  ...exporting,
  flags: [
    ...(exporting.flags ?? []),
    { name: 'follow', description: 'Tell each record as a line, and go on with what comes until stopped' },
    { name: 'format', value: 'FORMAT', description: 'With --follow: own, ocsf or ecs' },
  ],
  tellsProgress: true,
  async before(invocation) {
    const isFollowing = isFlagOn(invocation, 'follow')
    if (isFollowing && findFlag(invocation, 'out') !== undefined)
      throw new UsageError('--follow and --out exclude each other.', 'Leave out --out: lines go to stdout.')
    if (!isFollowing && findFlag(invocation, 'format') !== undefined)
      throw new UsageError('--format goes with --follow.', 'A file is signed in our own form alone.')
    return exporting.before?.(invocation)
  },
  async act(call) {
    if (!isFlagOn(call.invocation, 'follow')) return exporting.act(call)
    return (await import('./follow-export.ts')).followExport(call)
  },
}
