import type { HeldFolder } from '../../../platform/guard/guard.ts'
import type { Edit } from './edit.ts'
import {
  type EditTools,
  type HeldFile,
  keepEditable,
  putEdited,
  renderEdited,
  veilFile,
} from './edit-steps.ts'
import { withLock } from './file-lock.ts'
import type { Engines } from './find-matches.ts'
import { findNodes } from './find-nodes.ts'
import { type EditPlan, planEdits } from './plan-edits.ts'

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
  held: HeldFile,
): Promise<EditPlan> {
  const before = veilFile(folder, held.found, tools.redactor)
  const plan = await planEdits(before.text, edits, enginesFor(folder.name, tools))
  await putEdited(folder, folder.prepare(renderEdited(plan, before, tools.redactor), held.found), held)
  return plan
}

function enginesFor(name: string, { patterns }: EditTools): Engines {
  return {
    findPattern: (pattern, text) => patterns.findAll(pattern, text),
    findNodes: (specs, text) => findNodes(name, specs, text),
  }
}
