import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { ensurePrivateFolder, findFile, replacePrivateFile } from '../../../platform/basics/private-file.ts'
import { ToolFault } from '../tool-fault.ts'
import type { CommandCall } from './command-call.ts'
import { type KnownPaths, movePlanted } from './planted-paths.ts'

const Note = z.strictObject({ service_root: z.string(), known: z.array(z.string()) })

/**
 * Notes in the hub's home what was known before a run. Without it, a hub that is killed during the run would take what
 * the run has planted for the owner's at the next one.
 */
export function noteKnown(call: CommandCall, known: KnownPaths): void {
  const { service_root } = call.context
  ensurePrivateFolder(folderOf(call))
  replacePrivateFile(pathOf(call), JSON.stringify({ service_root, known: [...known] }))
}

/** Does the look that follows a run. What it could not settle is for the next one: the note stays until then. */
export function lookAfter(call: CommandCall, known: KnownPaths): ToolFault | undefined {
  const { fault, is_over } = movePlanted(call, known)
  if (is_over) rmSync(pathOf(call), { force: true })
  return fault
}

/** Does the look that a killed hub could not do after its run, if there was one. */
export function lookAfterKilled(call: CommandCall): ToolFault | undefined {
  const path = pathOf(call)
  const text = findFile(path)
  if (text === undefined) return undefined
  return lookAfter(call, readKnown(text, path))
}

function readKnown(text: string, path: string): KnownPaths {
  try {
    return new Set(Note.parse(JSON.parse(text)).known)
  } catch (cause) {
    throw new ToolFault(
      'ConfigDamaged',
      `${path} is damaged. It says which repositories a service had before a command ran that was cut off.`,
      'Ask the owner to look for repositories that are not theirs, then to remove that file. Nothing was run.',
      { cause },
    )
  }
}

function folderOf({ hub }: CommandCall): string {
  return join(hub.home.folder, 'runs')
}

function pathOf(call: CommandCall): string {
  const service = createHash('sha256').update(call.context.service_root).digest('hex').slice(0, 32)
  return join(folderOf(call), `${service}.json`)
}
