import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { editFile } from '../../src/domains/toolbox/files/edit-file.ts'
import { type FilesProject, makeFilesProject } from './files-project.fixture.ts'

/** A file before, the edits, and the file after; or the code of the fault, and the file as it was. */
export interface Scenario {
  readonly before: string
  readonly edits: readonly object[]
  readonly after?: string
  readonly code?: string
  /** What the error says, in message or suggestion. */
  readonly says?: readonly string[]
}

export const replace = (spec: string, content: string, more: object = {}) => ({
  operation: 'replace',
  spec,
  content,
  ...more,
})
export const remove = (spec: string, more: object = {}) => ({ operation: 'delete', spec, ...more })
export const append = (spec: string, content: string) => ({ operation: 'append_after', spec, content })
export const prepend = (spec: string, content: string) => ({ operation: 'prepend_before', spec, content })

/** Plays scenarios one after the other on a file of this name. */
export async function playAll(scenarios: readonly Scenario[], path = 'main.ts'): Promise<void> {
  await using project = await makeFilesProject()
  for (const scenario of scenarios) await play(project, scenario, path)
}

async function play(project: FilesProject, scenario: Scenario, path: string): Promise<void> {
  project.put(path, scenario.before)
  const before = fileAt(project, path)
  const { code, message, suggestion } = await project.call(editFile, { path, edits: scenario.edits })
  expect({ code, text: project.text(path) }, message).toEqual({
    code: scenario.code ?? 'success',
    text: scenario.code ? scenario.before : scenario.after,
  })
  for (const words of scenario.says ?? []) expect(`${message} ${suggestion}`).toContain(words)
  if (scenario.code) expect(fileAt(project, path)).toEqual(before)
  expect(project.names()).toEqual([path])
}

/** Which file it is and when it was written, to see that nobody did. */
function fileAt({ service_root }: FilesProject, path: string) {
  const { ino, mtimeNs } = statSync(join(service_root, path), { bigint: true })
  return { ino, mtimeNs }
}
