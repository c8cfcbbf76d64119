import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type KnowledgeHub, startKnowledgeHub, until } from './knowledge-project.fixture.ts'

let hub: KnowledgeHub
beforeAll(async () => {
  hub = await startKnowledgeHub()
  hub.project.write('docs/old/a.md', '# Heron\n\nA heron.\n')
  await hub.search('heron')
  await hub.settled()
})
afterAll(() => hub[Symbol.asyncDispose]())

async function expectFound(query: string, paths: readonly string[]): Promise<void> {
  const found = async () => {
    const { results } = await hub.search(query, { limit: 50 })
    return [
      ...new Set(results.filter(({ snippet }) => snippet.includes(query)).map(({ path }) => path)),
    ].toSorted()
  }
  const wanted = paths.toSorted()
  await until(
    async () => JSON.stringify(await found()) === JSON.stringify(wanted),
    `${query} is in ${wanted}`,
  )
}

describe('a hub that runs', () => {
  test('follows what is written, moved and deleted in a project that was asked about', async () => {
    hub.project.write('services/web/src/new.ts', "export const marmot = 'marmot'\n")
    await expectFound('marmot', ['src/new.ts'])
    hub.project.write('services/web/src/new.ts', "export const ferret = 'ferret'\n")
    await expectFound('ferret', ['src/new.ts'])
    await expectFound('marmot', [])
    hub.project.write('docs/fresh/deep/b.md', '# Walrus\n\nA walrus.\n')
    await expectFound('walrus', ['../../docs/fresh/deep/b.md'])
    hub.project.write('docs/fresh/deep/c.md', '# Walrus\n\nA second walrus.\n')
    await expectFound('walrus', ['../../docs/fresh/deep/b.md', '../../docs/fresh/deep/c.md'])
    renameSync(join(hub.project.root, 'docs/old'), join(hub.project.root, 'docs/new'))
    await expectFound('heron', ['../../docs/new/a.md'])
    rmSync(join(hub.project.root, 'docs/fresh'), { recursive: true })
    await expectFound('walrus', [])
  }, 120_000)

  test('finds what an agent writes through its own tools', async () => {
    await hub.call('rest', 'write_file', {
      path: 'src/tool.ts',
      content: "export const narwhal = 'narwhal'\n",
    })
    await expectFound('narwhal', ['src/tool.ts'])
  }, 60_000)
})
