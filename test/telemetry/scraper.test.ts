import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { from, NAME, PINNED, publicConfig } from '../control/public-visitor.fixture.ts'
import { startTestHub } from '../harness/test-hub.ts'
import { send } from '../rest/rest-hub.fixture.ts'

const TOKEN = 'a-token-of-the-owner-for-the-scraper-alone'

test('the numbers are told under the public name to the token of the owner, and to nothing else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-scraper-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const token_file = join(folder, 'token')
  writeFileSync(token_file, `${TOKEN}\n`)
  await using hub = await startTestHub({ config: { ...publicConfig(30), metrics: { token_file } } })
  const scrape = async (bearer: string | undefined, host = NAME) =>
    (await send(hub.url, { path: '/metrics', headers: { host, ...from('192.0.2.7') }, bearer })).status
  expect(await scrape(TOKEN)).toBe(200)
  for (const other of [undefined, 'wrong', `${TOKEN}x`, hub.credentials.bearers.admin])
    expect(await scrape(other)).toBe(404)
  // Under the names of gateways there are no numbers, whatever is shown.
  expect(await scrape(TOKEN, PINNED)).toBe(404)
  // It opens nothing else, counts anew when it is changed, and not at all when it is short or gone.
  const opened = await send(hub.url, {
    path: '/api/v1/whoami',
    headers: { host: NAME, ...from('192.0.2.7') },
    bearer: TOKEN,
  })
  expect(opened.status).toBe(401)
  writeFileSync(token_file, `${TOKEN}-2`)
  expect([await scrape(TOKEN), await scrape(`${TOKEN}-2`)]).toEqual([404, 200])
  writeFileSync(token_file, 'short')
  expect(await scrape('short')).toBe(404)
  rmSync(token_file)
  expect(await scrape('')).toBe(404)
  expect((await send(hub.url, { path: '/metrics' })).status).toBe(200)
})
