import { UsageError } from '../cli-errors.ts'
import type { Invocation } from '../command.ts'
import { loadAllCommands } from '../load-commands.ts'
import { COMPLETION_SCRIPTS } from './completion-scripts.ts'
import { completionTable } from './completion-table.ts'

/** Prints what a shell reads to complete commands, flags and their choices. */
export async function printCompletion({ positionals, globals, io }: Invocation): Promise<number> {
  const shell = positionals[0] as string
  const render = Object.hasOwn(COMPLETION_SCRIPTS, shell) ? COMPLETION_SCRIPTS[shell] : undefined
  if (!render)
    throw new UsageError(
      'There is no completion for this shell.',
      `Choose one of ${Object.keys(COMPLETION_SCRIPTS).join(', ')}.`,
    )
  const script = render(completionTable(await loadAllCommands()))
  io.stdout.write(`${globals.json ? JSON.stringify({ shell, script }) : script}\n`)
  return 0
}
