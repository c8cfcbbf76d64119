import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { hubRecord } from '../../../operations/hub-record.ts'
import { homeAt } from '../../../platform/basics/home.ts'
import { counted, printableLine } from '../../../platform/basics/printable.ts'
import { realSystem } from '../../../platform/basics/system.ts'
import { type Backup, backupName, createBackup } from '../../../platform/storage/backup/backup.ts'
import { noteBackup } from '../../../platform/storage/backup/last-backup.ts'
import { restoreBackup } from '../../../platform/storage/backup/restore-backup.ts'
import { listUndone, type Undone } from '../../../platform/storage/backup/undone-since.ts'
import { CommandFailure } from '../cli-errors.ts'
import { type Invocation, isFlagOn } from '../command.ts'
import { openHome } from '../hub/local-connection.ts'
import { fileFault } from '../hub/opening-failure.ts'
import { proveOpening } from '../hub/prove-presence.ts'
import { requireHome } from '../hub/require-home.ts'
import { askYesNo } from '../output/ask-yes-no.ts'
import { printForPerson } from '../output/output.ts'

/** Copies the home into a new folder. */
export async function backUp(invocation: Invocation): Promise<number> {
  const { globals, env, positionals, io } = invocation
  requireHome(invocation)
  const destination = positionals[0] ?? backupName(realSystem.now())
  const backup = await orFail(() => createBackup(homeAt(globals.home, env), env, destination, realSystem))
  if (globals.json) io.stdout.write(`${JSON.stringify(backup)}\n`)
  for (const left of backup.cleared)
    printForPerson(invocation, `Removed ${left}, which a backup that was broken off had left.`)
  printForPerson(invocation, `Wrote ${backup.folder} (${counted(backup.manifest.files.length, 'file')}).`)
  printForPerson(invocation, 'It holds the keys of the home: keep it as private.')
  await recordBackup(invocation, backup)
  return 0
}

/** Puts it on record that there is one, so that `doctor` and the console can tell how old it is. */
async function recordBackup(invocation: Invocation, { folder, manifest }: Backup): Promise<void> {
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0)
  const hub = await openHome(invocation).catch(() => undefined)
  if (!hub) return printForPerson(invocation, 'It is not on record: the home cannot be opened now.')
  try {
    await hub.db.transaction(async (tx) => {
      await noteBackup(tx, { at: manifest.created_at, bytes })
      await hub.audit.appendIn(tx, [
        hubRecord(hub, 'backup_made', undefined, { kind: 'backup', id: basename(folder) }),
      ])
    })
  } finally {
    await hub.close()
  }
}

/** Puts a backup in the place of what the home holds. */
export async function restore(invocation: Invocation): Promise<number> {
  const { globals, env, positionals, io } = invocation
  const home = homeAt(globals.home, env)
  await confirmUndone(invocation, home.database, positionals[0] as string)
  if (existsSync(home.database)) await requireOwner(invocation, { backup: positionals[0] as string })
  const options = { force: isFlagOn(invocation, 'force') }
  const restored = await orFail(() => restoreBackup(home, env, positionals[0] as string, realSystem, options))
  if (globals.json) io.stdout.write(`${JSON.stringify(restored)}\n`)
  printForPerson(invocation, `Restored ${home.folder} as of ${restored.manifest.created_at}.`)
  // The first record of the restored home is that of the restore, whoever opens it next.
  await recordAtOnce(invocation)
  if (restored.moved_aside) printForPerson(invocation, `What was there is in ${restored.moved_aside}.`)
  return 0
}

/** What is there may have an owner, who then has to be there: an older copy knows an older password, and older locks. */
async function requireOwner(invocation: Invocation, input: object): Promise<void> {
  // A home that cannot be opened has nobody to ask; to mend it may be what the backup is for.
  const hub = await openHome(invocation).catch(() => undefined)
  if (!hub) return
  try {
    await proveOpening(invocation, hub, { operation: 'backup_restore', vault_id: 'default', input })
  } finally {
    await hub.close()
  }
}

/** A home that cannot be opened yet, for want of a key in the environment say, puts it on record when it can. */
async function recordAtOnce(invocation: Invocation): Promise<void> {
  try {
    await (await openHome(invocation)).close()
  } catch (error) {
    printForPerson(
      invocation,
      `The restore is put on record when the home opens: ${(error as Error).message}`,
    )
  }
}

async function orFail<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    const { name } = error as Error
    const hint =
      name === 'HalfRestored'
        ? 'Make it again with --force. Until then no program opens the home.'
        : 'Nothing was changed. `knowtation backup --help` shows the commands.'
    throw new CommandFailure('BACKUP_FAILED', fileFault(error as Error), hint)
  }
}

/**
 * Tells what a restore would take back: what was revoked, locked or deleted since the backup. Goes on only when the
 * owner says so: at a terminal by an answer, elsewhere by --yes.
 */
async function confirmUndone(invocation: Invocation, database: string, backup: string): Promise<void> {
  if (!isFlagOn(invocation, 'force') || !existsSync(database)) return
  const copy = join(resolve(backup), 'database.db')
  const undone = existsSync(copy) ? listUndone(database, copy) : undefined
  if (undone?.acts.length === 0) return
  for (const line of describe(undone)) invocation.io.stderr.write(`${printableLine(line)}\n`)
  if (undone === undefined || isFlagOn(invocation, 'yes')) return
  if (await askYesNo(invocation, 'Restore all the same? [y/N] ')) return
  printForPerson(invocation, 'Nothing was restored.')
  throw new CommandFailure(
    'NOT_CONFIRMED',
    'What was taken back since would count again.',
    'Say --yes to restore all the same.',
  )
}

function describe(undone: Undone | undefined): string[] {
  if (!undone)
    return [
      'What was revoked, locked or deleted since the backup cannot be told: the database that is there cannot be read.',
    ]
  const acts = undone.acts.map(
    ({ at, operation, target_id, caller_id }) => `  ${at}  ${operation}  ${target_id ?? ''}  by ${caller_id}`,
  )
  const more = undone.more > 0 ? [`  and ${undone.more} more`] : []
  return ['Since the backup this was revoked, locked or deleted, and would count again:', ...acts, ...more]
}
