import {
  FileFault,
  type HeldFolder,
  type KeptFile,
  type PreparedFile,
} from '../../../platform/guard/guard.ts'
import type { Patterns } from '../../../platform/patterns/patterns.ts'
import type { Redactor } from '../../../platform/redaction/redactor.ts'
import { fillVeils, type VeiledText, veilSecrets } from '../../../platform/redaction/veil.ts'
import { ToolFault } from '../tool-fault.ts'
import { checkAddedSecrets } from './added-secrets.ts'
import { decodeText } from './decode-text.ts'
import { EDITED_MAX_BYTES } from './edit.ts'
import type { FileLock } from './file-lock.ts'
import type { LockTools } from './lock-tools.ts'
import type { EditPlan } from './plan-edits.ts'

/** What an edit is made with. */
export interface EditTools {
  readonly patterns: Patterns
  readonly redactor: Redactor
  readonly lock: LockTools
}

/** A file that is to be changed, and the right to do so. */
export interface HeldFile {
  readonly found: KeptFile
  readonly lock: FileLock
}

/** The file of a folder, held open to be edited; nothing where there is none. */
export function keepEditable(folder: HeldFolder): KeptFile | undefined {
  try {
    return folder.keep(folder.name, EDITED_MAX_BYTES)
  } catch (error) {
    if (!(error instanceof FileFault) || error.code !== 'FileTooLarge') throw error
    const help = `No file over ${EDITED_MAX_BYTES} bytes can be edited; put what is to change into a file of its own.`
    throw new ToolFault('FileTooLarge', error.message, help, { cause: error })
  }
}

/** The text of a file, with its secrets hidden. */
export function veilFile(folder: HeldFolder, { bytes }: KeptFile, redactor: Redactor): VeiledText {
  return veilSecrets(redactor, decodeText(bytes, folder.path))
}

/** What is to be written. */
export function renderEdited({ text }: EditPlan, before: VeiledText, redactor: Redactor): Buffer {
  const bytes = Buffer.from(unveil(text, before, redactor))
  checkSize(bytes)
  return bytes
}

/** Puts a new file in the place of the old one, once it is on the disk. */
export async function putEdited(
  folder: HeldFolder,
  coming: Promise<PreparedFile>,
  { found, lock }: HeldFile,
): Promise<void> {
  const ready = await coming
  try {
    checkUnchanged(folder, found, lock)
    ready.putAs(folder.name, found)
  } finally {
    ready.close()
  }
}

/** The text that is to be written, with what was hidden as it was, if no secret came with the edit. */
function unveil(after: string, { pieces }: VeiledText, redactor: Redactor): string {
  const secrets = pieces.map(({ secret }) => secret)
  const { text, starts } = fillVeils(after, secrets)
  const kept = starts.map((start, place) => ({ start, end: start + (secrets[place] as string).length }))
  checkAddedSecrets(redactor, text, kept)
  return text
}

function checkSize(bytes: Buffer): void {
  if (bytes.length <= EDITED_MAX_BYTES) return
  throw new ToolFault(
    'FileTooLarge',
    `The file would have ${bytes.length} bytes after the edit; at most ${EDITED_MAX_BYTES} can be edited.`,
    'Put the new text into a file of its own, or make smaller edits.',
  )
}

/** Nothing that came from somebody else since the file was read may be written over. */
function checkUnchanged(folder: HeldFolder, read: KeptFile, lock: FileLock): void {
  if (read.isStill() && lock.isHeld()) return
  throw new ToolFault(
    'ResourceBusy',
    `${folder.path} was changed by somebody else during the edit. Nothing was written.`,
    'Read the file again and make the edit anew.',
  )
}
