import { counted } from '../../platform/basics/counted.ts'
import { homeAt } from '../../platform/basics/home.ts'
import { realSystem } from '../../platform/basics/system.ts'
import { backupName, createBackup } from '../../platform/storage/backup.ts'
import { restoreBackup } from '../../platform/storage/restore-backup.ts'
import { CommandFailure } from './cli-errors.ts'
import { type Invocation, isFlagOn } from './command.ts'
import { fileFault } from './opening-failure.ts'
import { printForPerson } from './output.ts'
import { requireHome } from './require-home.ts'

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
  return 0
}

/** Puts a backup in the place of what the home holds. */
export async function restore(invocation: Invocation): Promise<number> {
  const { globals, env, positionals, io } = invocation
  const home = homeAt(globals.home, env)
  const options = { force: isFlagOn(invocation, 'force') }
  const restored = await orFail(() => restoreBackup(home, env, positionals[0] as string, realSystem, options))
  if (globals.json) io.stdout.write(`${JSON.stringify(restored)}\n`)
  printForPerson(invocation, `Restored ${home.folder} as of ${restored.manifest.created_at}.`)
  if (restored.moved_aside) printForPerson(invocation, `What was there is in ${restored.moved_aside}.`)
  return 0
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
