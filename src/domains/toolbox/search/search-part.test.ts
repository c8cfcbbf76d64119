import { linkSync, rmSync } from 'node:fs'
import { afterEach, beforeEach, expect } from 'vitest'
import { verifies } from '../../../../test/requirements/verifies.ts'
import { makeProject, type Project } from '../../../platform/guard/guard-project.fixture.ts'
import type { SearchJob } from './search-job.ts'
import { type Look, searchPart } from './search-part.ts'
import { createPlace } from './search-place.ts'

let project: Project
beforeEach(() => {
  project = makeProject()
})
afterEach(() => project.remove())

function jobAt(path: string, match_limit: number | undefined): SearchJob {
  const stop = new Int32Array(1)
  const rest = { scope: project.scope, pattern: 'a', redaction: {}, sifts: true, claims: undefined, stop }
  return { ...rest, path, recursive: true, match_limit, place: createPlace() }
}

/** Every text matches once, and one gets a second name after it was read and loses it before it is told of. */
const look: Look = (text) => {
  if (text.toString() === 'main') {
    linkSync(project.in('src/main.ts'), project.in('src/second'))
    rmSync(project.in('src/second'))
  }
  return { text: { bytes: text, marks: [] }, offsets: [0, 1] }
}

verifies(
  ['TOOL-076', 'TOOL-077'],
  'nothing is told of a file that was not the scope’s own from its reading to its telling, not even a count',
  () => {
    for (const match_limit of [10, undefined]) {
      const { files, ...seen } = searchPart(project.open(), look, jobAt('src', match_limit))
      expect(files.map(({ path }) => path)).toEqual(match_limit ? ['src/deep/er/x.ts'] : [])
      expect(seen).toMatchObject({ count: 1, files_searched: 1, files_skipped: 1 })
    }
  },
)
