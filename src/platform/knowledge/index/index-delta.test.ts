import { expect, test } from 'vitest'
import { openEmbeddedStore } from '../stores/embedded/embedded-store.ts'
import { openStaticEmbedder } from '../vectors/static-embedder.ts'
import { makeIndexProject } from './index-project.fixture.ts'

/** A document of so many sections, each of which is a chunk. */
function sections(count: number, text: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => `# Section ${at}\n\n${text(at)}\n`).join('\n')
}

test('an index finds after many changes what a new one finds', async () => {
  const files: Record<string, string> = {
    'common.md': sections(250, (at) => `${'lynx '.repeat(10)}number${at}`),
  }
  for (let at = 0; at < 190; at += 1) files[`rare/${at}.md`] = `An otter beside number${at}.\n`
  using project = makeIndexProject(files)
  await project.run()
  for (let round = 0; round < 6; round += 1) {
    project.write(
      'draft.md',
      sections(600, (at) => `plain${round} text${at}`),
    )
    await project.run({ paths: ['draft.md'] })
  }
  project.remove('draft.md')
  expect(await project.run()).toMatchObject({ mode: 'delta', removed: 1 })
  const found = await project.find('lynx otter', 400)
  expect(found.length).toBeGreaterThan(190)
  expect(await project.run({ rebuild: true })).toMatchObject({ mode: 'full', warnings: [] })
  // What a search has found out is told in the outcome, as when the run itself finds it.
  expect(await project.run({ rebuild: 'damaged' })).toMatchObject({
    mode: 'full',
    warnings: ['The index was damaged and is made anew.'],
  })
  expect(found).toEqual(await project.find('lynx otter', 400))
}, 60_000)

async function ask(store: ReturnType<typeof openEmbeddedStore>): Promise<string[]> {
  const hits = await store.search('otter number3', openStaticEmbedder(), { prefixes: [''] }, 10)
  return hits.map(({ path, start_line, score }) => `${path}:${start_line} ${score}`)
}

test('an index that is held open scores as one that is opened anew', async () => {
  using project = makeIndexProject({
    'kept.md': sections(20, (at) => `An otter at number${at}.`),
    'long.md': sections(5, () => `otter ${'plain text '.repeat(200)}`),
  })
  await project.run()
  const held = openEmbeddedStore(project.place.index)
  await ask(held)
  project.remove('long.md')
  await project.run()
  const fresh = openEmbeddedStore(project.place.index)
  expect(await ask(held)).toEqual(await ask(fresh))
  await Promise.all([held.close(), fresh.close()])
})
