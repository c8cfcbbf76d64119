import { expect, test } from 'vitest'
import type { IndexJob } from './index-job.ts'
import { makeIndexProject } from './index-project.fixture.ts'
import { readBatches, THREADS_FROM_FILES } from './index-threads.ts'

const PATHS = Array.from({ length: THREADS_FROM_FILES * 3 }, (_, at) => `a${at}.md`)
const BATCHES = PATHS.map((path) => [
  { folder: '', is_large: false, files: [{ path, known_sha256: undefined }] },
])

function jobFor(project_root: string): IndexJob {
  const nothing = { block_patterns: [], hard_link_stores: [], closed_paths: [], redact_patterns: [] }
  return { project_root, environment: {}, ...nothing }
}

const refuse = () => Promise.reject(new Error('on purpose'))

test('threads read every file once', async () => {
  using project = makeIndexProject(Object.fromEntries(PATHS.map((path) => [path, `# ${path}\n\nA koala.\n`])))
  const read: string[] = []
  await readBatches(jobFor(project.root), BATCHES, async (files) => {
    for (const file of files) if (file.kind === 'cut') read.push(file.path)
  })
  expect(read.toSorted()).toEqual(PATHS.toSorted())
})

test('an error in a thread, or in what takes its answers, ends the reading', async () => {
  await expect(readBatches(jobFor('/nowhere/at/all'), BATCHES, async () => {})).rejects.toThrow('missing')
  using project = makeIndexProject(Object.fromEntries(PATHS.map((path) => [path, 'A koala.\n'])))
  await expect(readBatches(jobFor(project.root), BATCHES, refuse)).rejects.toThrow('on purpose')
})
