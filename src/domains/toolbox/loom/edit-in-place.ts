import { FileFault, type HeldFolder, type KeptFile } from '../../../platform/guard/guard.ts'
import type { Patterns } from '../../../platform/patterns/patterns.ts'
import type { Redactor } from '../../../platform/redaction/redactor.ts'
import { fillVeils, type VeiledText, veilSecrets } from '../../../platform/redaction/veil.ts'
import { ToolFault } from '../tool-fault.ts'
import { checkAddedSecrets } from './added-secrets.ts'
import { decodeText } from './decode-text.ts'
import { EDITED_MAX_BYTES, type Edit } from './edit.ts'
import { type FileLock, withLock } from './file-lock.ts'
import type { Engines } from './find-matches.ts'
import { findNodes } from './find-nodes.ts'
import type { LockTools } from './lock-tools.ts'
import { type EditPlan, planEdits } from './plan-edits.ts'

/** What an edit is made with. */
export interface EditTools {
  readonly patterns: Patterns
  readonly redactor: Redactor
  readonly lock: LockTools
}

/** Makes the edits in the file that a folder is held for, all of them or none; nothing where there is no file. */
export async function editInPlace(
  folder: HeldFolder,
  edits: readonly Edit[],
  tools: EditTools,
): Promise<EditPlan | undefined> {
  return withLock(folder, tools.lock, async (lock) => {
    const found = keepEditable(folder)
    try {
      return found && (await replaceEdited(folder, edits, tools, { found, lock }))
    } finally {
      found?.close()
    }
  })
}

async function replaceEdited(
  folder: HeldFolder,
  edits: readonly Edit[],
  tools: EditTools,
  { found, lock }: { found: KeptFile; lock: FileLock },
): Promise<EditPlan> {
  const before = veilSecrets(tools.redactor, decodeText(found.bytes, folder.path))
  const plan = await planEdits(before.text, edits, enginesFor(folder.name, tools))
  const bytes = Buffer.from(unveil(plan.text, before, tools.redactor))
  checkSize(bytes)
  const ready = await folder.prepare(bytes, found)
  try {
    checkUnchanged(folder, found, lock)
    ready.putAs(folder.name, found)
    return plan
  } finally {
    ready.close()
  }
}

function keepEditable(folder: HeldFolder): KeptFile | undefined {
  try {
    return folder.keep(folder.name, EDITED_MAX_BYTES)
  } catch (error) {
    if (!(error instanceof FileFault) || error.code !== 'FileTooLarge') throw error
    const help = `No file over ${EDITED_MAX_BYTES} bytes can be edited; put what is to change into a file of its own.`
    throw new ToolFault('FileTooLarge', error.message, help, { cause: error })
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

function enginesFor(name: string, { patterns }: EditTools): Engines {
  return {
    findPattern: (pattern, text) => patterns.findAll(pattern, text),
    findNodes: (specs, text) => findNodes(name, specs, text),
  }
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
