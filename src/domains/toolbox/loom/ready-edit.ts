import type { HeldFolder, KeptFile } from '../../../platform/guard/guard.ts'
import type { Edit } from './edit.ts'
import {
  type EditTools,
  type HeldFile,
  keepEditable,
  putEdited,
  renderEdited,
  veilFile,
} from './edit-steps.ts'
import { tryLock } from './file-lock.ts'
import { type EditPlan, planExact } from './plan-edits.ts'

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
