import { closeSync, fstatSync, openSync, type Stats, symlinkSync } from 'node:fs'
import { newDraftName } from '../drafts/draft-name.ts'
import { makeDraft, removeIfThere, type WriteInto } from '../drafts/make-draft.ts'
import type { FileRights } from '../guard.ts'
import { at, NAME_ANY } from '../kernel/descriptors.ts'
import { readAttributes } from '../kernel/file-attributes.ts'
import { renameIn } from '../kernel/folder-calls.ts'
import { rightsOf } from '../trail.ts'
import type { TreeEntry } from './service-tree.ts'

/** Puts a file or link in the place of whatever file or link has the name, if any has. */
export function putOver(into: WriteInto, name: string, entry: TreeEntry, there: Stats | undefined): void {
  if (entry.kind === 'link') return putLink(into, name, entry.target)
  const kept = there?.isFile() ? rightsToKeep(into, name) : undefined
  const draft = makeDraft(into, entry.bytes, kept, entry)
  try {
    draft.putAs(name)
  } finally {
    draft.close()
  }
}

/** Version control knows nothing of owners and access control lists, so they stay as they were. */
function rightsToKeep({ folder_fd, given }: WriteInto, name: string): FileRights {
  const fd = openSync(at(folder_fd, name), NAME_ANY)
  try {
    const stat = fstatSync(fd, { bigint: true })
    return { ...rightsOf({ fd, stat }), attributes: readAttributes(fd, given) }
  } finally {
    closeSync(fd)
  }
}

function putLink({ folder_fd }: WriteInto, name: string, target: string): void {
  const temp = newDraftName()
  symlinkSync(target, at(folder_fd, temp))
  try {
    renameIn(folder_fd, temp, name)
  } catch (error) {
    removeIfThere(folder_fd, temp)
    throw error
  }
}
