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
import { EDITED_MAX_BYTES, type Edit } from './edit.ts'
import { type FileLock, tryLock, withLock } from './file-lock.ts'
import type { Engines } from './find-matches.ts'
import { findNodes } from './find-nodes.ts'
import type { LockTools } from './lock-tools.ts'
import { type EditPlan, planEdits, planExact } from './plan-edits.ts'

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

/** An edit that is made ready: the new file lies beside the old one, and is on its way to the disk. */
export interface ReadyEdit {
  /** Puts it in the place of the old one. */
  finish(): Promise<EditPlan>
  /** Takes it away again. */
  abandon(): Promise<void>
}

/**
 * Makes edits ready at once, so that the disk takes the new file and the record of the call together. Nothing where
 * something has to be waited for, be it a lock or a pattern: those are made later, in place.
 */
export function readyEdit(
  folder: HeldFolder,
  edits: readonly Edit[],
  tools: EditTools,
): ReadyEdit | undefined {
  if (edits.some(({ match_mode }) => match_mode !== 'exact')) return undefined
  const lock = tryLock(folder, tools.lock)
  if (!lock) return undefined
  let found: KeptFile | undefined
  const letGo = () => {
    found?.close()
    lock.release()
  }
  try {
    found = keepEditable(folder)
    if (found) return openReady(folder, edits, tools, { found, lock, letGo })
  } catch (error) {
    letGo()
    throw error
  }
  letGo()
  return undefined
}

function openReady(
  folder: HeldFolder,
  edits: readonly Edit[],
  { redactor }: EditTools,
  { letGo, ...held }: HeldFile & { letGo: () => void },
): ReadyEdit {
  const before = veilFile(folder, held.found, redactor)
  const plan = planExact(before.text, edits)
  const coming = folder.prepare(renderEdited(plan, before, redactor), held.found)
  // Whoever finishes it hears of a failure; until then nobody listens.
  coming.catch(() => {})
  return {
    finish: () =>
      putEdited(folder, coming, held)
        .then(() => plan)
        .finally(letGo),
    abandon: () =>
      coming
        .then(
          (ready) => ready.close(),
          () => {},
        )
        .finally(letGo),
  }
}

/** A file that is to be changed, and the right to do so. */
interface HeldFile {
  readonly found: KeptFile
  readonly lock: FileLock
}

async function replaceEdited(
  folder: HeldFolder,
  edits: readonly Edit[],
  tools: EditTools,
  held: HeldFile,
): Promise<EditPlan> {
  const before = veilFile(folder, held.found, tools.redactor)
  const plan = await planEdits(before.text, edits, enginesFor(folder.name, tools))
  await putEdited(folder, folder.prepare(renderEdited(plan, before, tools.redactor), held.found), held)
  return plan
}

async function putEdited(
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

function veilFile(folder: HeldFolder, { bytes }: KeptFile, redactor: Redactor): VeiledText {
  return veilSecrets(redactor, decodeText(bytes, folder.path))
}

function renderEdited({ text }: EditPlan, before: VeiledText, redactor: Redactor): Buffer {
  const bytes = Buffer.from(unveil(text, before, redactor))
  checkSize(bytes)
  return bytes
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
