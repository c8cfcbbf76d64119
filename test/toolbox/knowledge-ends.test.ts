import { afterAll, beforeAll, describe, expect } from 'vitest'
import { verifies } from '../requirements/verifies.ts'
import { type KnowledgeHub, startKnowledgeHub } from './knowledge-project.fixture.ts'
import { WAYS } from './surface-hub.fixture.ts'

const BUS = '# Event bus\n\nHow the event bus delivers messages to its subscribers.\n'

let hub: KnowledgeHub
beforeAll(async () => {
  hub = await startKnowledgeHub()
  hub.project.write('docs/specs/bus.md', BUS)
  await hub.knowledge('index')
})
afterAll(() => hub[Symbol.asyncDispose]())

describe('search_knowledge', () => {
  verifies(
    'TOOL-102',
    'says that a quoted text is nowhere and what is nearest, and that nothing fits',
    async () => {
      for (const way of WAYS) {
        const nowhere = await hub.search('"event bus delivers elephants"', {}, {}, way)
        expect(nowhere.note).toMatch(
          /^No text that you may see has "event bus delivers elephants" as it stands\./,
        )
        expect(nowhere.results[0]).toMatchObject({ path: '../../docs/specs/bus.md' })
        expect(nowhere.results[0]?.reasons).toContain('without: elephants')
        const nonsense = await hub.search('xqzzy flurbl gronk', {}, {}, way)
        expect(nonsense).toMatchObject({
          results: [],
          note: expect.stringContaining('Nothing that you may see fits'),
        })
        expect((await hub.search('"delivers messages"', {}, {}, way)).note).toBeUndefined()
        const unnamed = await hub.search('deliverMessagesTwice', {}, {}, way)
        expect(unnamed.results.length).toBeGreaterThan(0)
        expect(unnamed.note).toMatch(/^No text that you may see names deliverMessagesTwice\./)
        const unknown = await hub.search('subscribtionlessness', {}, {}, way)
        expect(unknown.note).toMatch(/^(?:No result has subscribtionlessness|Nothing that you may see fits)/)
      }
    },
  )
})
