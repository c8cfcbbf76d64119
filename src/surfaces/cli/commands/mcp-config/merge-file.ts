import { constants, copyFileSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Settings } from '../../../../domains/control/clients/mcp-clients.ts'
import {
  type FileFormat,
  mergeSettings,
  UnmergeableFile,
} from '../../../../domains/control/clients/merge-settings.ts'
import { findFile } from '../../../../platform/basics/private-file.ts'
import { realSystem } from '../../../../platform/basics/system.ts'
import { CommandFailure } from '../../cli-errors.ts'
import { writeFileAtomically } from '../../output/atomic-file.ts'

const FILE_LIMIT_BYTES = 4 * 1_048_576

/** Merges settings into a client's file, and keeps the former file; says what was done. */
export function mergeFile(file: string, settings: Settings, format: FileFormat): string {
  const before = readExisting(file)
  const after = merged(file, before ?? '', settings, format)
  if (after === before) return `${file} has it already.`
  mkdirSync(dirname(file), { recursive: true })
  const backup = before === undefined ? undefined : keepBackup(file)
  writeFileAtomically(file, after)
  return `Wrote ${file}.${backup ? ` The former file is ${backup}.` : ''}`
}

function readExisting(file: string): string | undefined {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size > FILE_LIMIT_BYTES) throw notMerged(file, 'It is too large.')
  return findFile(file)
}

function merged(file: string, before: string, settings: Settings, format: FileFormat): string {
  try {
    return mergeSettings(before, settings, format)
  } catch (error) {
    if (error instanceof UnmergeableFile) throw notMerged(file, error.message)
    throw error
  }
}

function notMerged(file: string, reason: string): CommandFailure {
  return new CommandFailure(
    'FILE_NOT_MERGED',
    `${file} was left as it is. ${reason}`,
    'Put the lines in by hand: `knowtation mcp config` prints them without --write, `knowtation connect` with --print.',
  )
}

function keepBackup(file: string): string {
  const stamp = realSystem.now().toISOString().replace(/[:.]/g, '-')
  const backup = `${file}.${stamp}.bak`
  copyFileSync(file, backup, constants.COPYFILE_EXCL)
  return backup
}
