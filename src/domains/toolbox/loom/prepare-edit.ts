import {
  FileFault,
  type FoundFile,
  type HeldFolder,
  type PreparedFile,
} from '../../../platform/guard/guard.ts'
import type { Patterns } from '../../../platform/patterns/patterns.ts'
import type { Redactor } from '../../../platform/redaction/redactor.ts'
import { fillVeils, type VeiledText, veilSecrets } from '../../../platform/redaction/veil.ts'
import { ToolFault } from '../tool-fault.ts'
import { checkAddedSecrets } from './added-secrets.ts'
import { findNodes } from './ast/find-nodes.ts'
import { decodeText } from './decode-text.ts'
import { EDITED_MAX_BYTES, type Edit } from './edit.ts'
import { type FileLock, takeLock } from './locks/file-lock.ts'
import type { LockTools } from './locks/lock-tools.ts'
import { type EditPlan, planEdits } from './plan-edits.ts'

/** What an edit is made with. */
export interface EditTools {
  readonly patterns: Patterns
  readonly redactor: Redactor
  readonly lock: LockTools
}

/** An edit that is ready: its file is locked, and the new content is on its way to the disk, without a name. */
export interface PreparedEdit {
  /** For each edit the lines of the new text that its changes begin on. */
  readonly lines: EditPlan['lines']
  /** Puts the new file in the place of the old one, once it is on the disk. */
  putInPlace(): Promise<void>
  /** Gives the lock back and removes the new file, unless it is in place. Must be called in any case. */
  close(): Promise<void>
}

/**
 * Makes edits ready, all of them or none: locks the file, reads it, plans, and writes the new file. Nothing is changed
 * yet, so the disk syncs the new file and the audit record of the call at the same time. Undefined where there is no
 * file.
 */
export async function prepareEdit(
  folder: HeldFolder,
  edits: readonly Edit[],
  tools: EditTools,
): Promise<PreparedEdit | undefined> {
  const lock = await takeLock(folder, tools.lock)
  try {
    const read = readEditable(folder)
    if (read) return await prepareLocked(folder, edits, tools, { read, lock })
  } catch (error) {
    lock.release()
    throw error
  }
  lock.release()
  return undefined
}

/** The file that is edited, and the right to change it. */
interface LockedFile {
  readonly read: FoundFile
  readonly lock: FileLock
}

async function prepareLocked(
  folder: HeldFolder,
  edits: readonly Edit[],
  { patterns, redactor }: EditTools,
  { read, lock }: LockedFile,
): Promise<PreparedEdit> {
  const before = veilSecrets(redactor, decodeText(read.bytes, folder.path))
  const plan = await planEdits(before.text, edits, {
    findPattern: (pattern, text) => patterns.findAll(pattern, text),
    findNodes: (specs, text) => findNodes(folder.name, specs, text),
  })
  const syncing = folder.prepare(renderEdited(plan, before, redactor), read)
  // A failure is thrown by putInPlace; an edit that is abandoned has no use for it.
  syncing.catch(() => {})
  return {
    lines: plan.lines,
    async putInPlace() {
      const written = await syncing
      checkUnchanged(folder, read, lock)
      written.putAs(folder.name)
    },
    async close() {
      try {
        await closeDraft(syncing)
      } finally {
        lock.release()
      }
    },
  }
}

async function closeDraft(syncing: Promise<PreparedFile>): Promise<void> {
  const written = await syncing.catch(() => undefined)
  written?.close()
}

/** The file of a folder; undefined where there is none. */
function readEditable(folder: HeldFolder): FoundFile | undefined {
  try {
    return folder.readWithRights(folder.name, EDITED_MAX_BYTES)
  } catch (error) {
    if (!(error instanceof FileFault) || error.code !== 'FileTooLarge') throw error
    const help = `No file over ${EDITED_MAX_BYTES} bytes can be edited; put what is to change into a file of its own.`
    throw new ToolFault('FileTooLarge', error.message, help, { cause: error })
  }
}

/** What is to be written, with what was hidden as it was, if no secret came with the edit. */
function renderEdited({ text: after }: EditPlan, { pieces }: VeiledText, redactor: Redactor): Buffer {
  const secrets = pieces.map(({ secret }) => secret)
  const { text, starts } = fillVeils(after, secrets)
  const kept = starts.map((start, place) => ({ start, end: start + (secrets[place] as string).length }))
  checkAddedSecrets(redactor, text, kept)
  const bytes = Buffer.from(text)
  if (bytes.length <= EDITED_MAX_BYTES) return bytes
  throw new ToolFault(
    'FileTooLarge',
    `The file would have ${bytes.length} bytes after the edit; at most ${EDITED_MAX_BYTES} can be edited.`,
    'Put the new text into a file of its own, or make smaller edits.',
  )
}

/** Nothing that came from somebody else since the file was read may be written over. */
function checkUnchanged(folder: HeldFolder, read: FoundFile, lock: FileLock): void {
  if (folder.hasStill(folder.name, read) && lock.isHeld()) return
  throw new ToolFault(
    'ResourceBusy',
    `${folder.path} was changed by somebody else during the edit. Nothing was written.`,
    'Read the file again and make the edit anew.',
  )
}
