import { expect, test, vi } from 'vitest'
import { startWebServer } from '../../src/domains/control/connectors/web-server.fixture.ts'
import { startTestHub } from '../harness/test-hub.ts'
import { LOOPBACK_SOURCES, meet } from './intents.fixture.ts'

/** More than half of what a feed may have: what it was and what it is do not fit into one list. */
const ENTRIES = 10_050
const PATIENCE = { timeout: 60_000, interval: 100 }

function feedOf(issue: number): string {
  const entries = Array.from({ length: ENTRIES }, (_, n) => `<item><guid>${issue}-${n}</guid></item>`)
  return `<rss version="2.0"><channel><title>News</title>${entries.join('')}</channel></rss>`
}

test('a feed whose entries are all others than before is collected as it is now', async () => {
  let issue = 1
  await using web = await startWebServer((_, response) => response.end(feedOf(issue)))
  const hub = await startTestHub({ config: LOOPBACK_SOURCES })
  try {
    const people = await meet(hub)
    const { intent_id } = await people.begin('feed')
    const values = { url: `${web.url}/feed` }
    const made = await people.asOwner('POST', `/_ref/intents/${intent_id}/complete`, { values })
    const at = `/v1/owner/connections/${made.body.connection_id}`
    for (issue of [1, 2, 3]) {
      const { body } = await people.asAgent('POST', `${at}/run`)
      const run = await vi.waitFor(async () => {
        const shown = await people.asAgent('GET', `${at}/runs/${body.run_id}`)
        expect(['succeeded', 'failed']).toContain(shown.body.status)
        return shown.body
      }, PATIENCE)
      expect([run.status, run.fault]).toEqual(['succeeded', null])
      const streams = await people.asAgent('GET', `${at}/streams`)
      expect(streams.body.data).toMatchObject([{ stream: 'items', record_count: issue * ENTRIES }])
    }
  } finally {
    await hub.close()
  }
}, 180_000)
