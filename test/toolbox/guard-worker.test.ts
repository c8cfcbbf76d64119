import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect } from 'vitest'
import { makeProject, type Project } from '../../src/platform/guard/guard-project.fixture.ts'
import { verifies } from '../requirements/verifies.ts'

const CHILD = join(import.meta.dirname, 'guard-worker-child.fixture.ts')
let project: Project

beforeAll(() => {
  project = makeProject()
  for (let n = 0; n < 200; n += 1) {
    mkdirSync(project.in(`many/${n % 4}/.git`), { recursive: true })
    writeFileSync(project.in(`many/${n % 4}/file-${n}`), String(n))
    writeFileSync(project.in(`many/${n % 4}/.git/file-${n}`), String(n))
  }
})
afterAll(() => project.remove())

verifies(
  'TOOL-044',
  'workers walk folders in parallel, each with a guard of its own from the same scope',
  async () => {
    const workers = [0, 1, 2, 3].map(
      (n) =>
        new Worker(CHILD, { workerData: { scope: structuredClone(project.scope), folder: `many/${n}` } }),
    )
    const found = await Promise.all(
      workers.map(async (worker) => (await once(worker, 'message'))[0] as string[]),
    )
    await Promise.all(workers.map((worker) => worker.terminate()))
    const expected = Array.from({ length: 200 }, (_, n) => `many/${n % 4}/file-${n} ${n}`)
    expect(found.flat().toSorted()).toEqual(expected.toSorted())
  },
)
