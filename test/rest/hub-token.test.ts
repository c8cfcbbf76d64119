import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runInProcess } from '../harness/call-cli.ts'
import { DATABASES, startTestHub, type TestHub } from '../harness/test-hub.ts'
import { send } from './rest-hub.fixture.ts'

describe.each(DATABASES)('the hub token on %s', (database) => {
  let hub: TestHub
  beforeEach(async () => void (hub = await startTestHub({ database })))
  afterEach(() => hub.close())

  const tokenOf = () => readFileSync(hub.home.hubToken, 'utf8').trim()
  const rotate = (...words: string[]) => runInProcess(['token', 'rotate-hub', ...words], hub.options.env)
  /** How a bearer fares at a read that goes past the framework, at one that does not, and over MCP. */
  const fares = async (bearer: string) => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
    const answers = [
      await send(hub.url, { path: '/api/v1/flows', bearer }),
      await send(hub.url, { path: '/api/v1/doctor', bearer }),
      await send(hub.url, { method: 'POST', path: '/mcp', bearer, body, headers }),
    ]
    return answers.map(({ status }) => status)
  }

  test('is exchanged at once, for a hub that runs too, and is shown to nobody', async () => {
    const old = tokenOf()
    expect(await fares(old)).toEqual([200, 403, 200])
    const { exit, stdout, stderr } = await rotate()
    expect([exit, stderr]).toEqual([0, ''])
    expect(stdout).toContain(hub.home.hubToken)
    expect(tokenOf()).toMatch(/^khub_[0-9a-f]{64}$/)
    expect(tokenOf()).not.toBe(old)
    expect(stdout).not.toContain(tokenOf())
    expect(statSync(hub.home.hubToken).mode & 0o777).toBe(0o600)
    expect(await fares(old)).toEqual([401, 401, 401])
    expect(await fares(tokenOf())).toEqual([200, 403, 200])
    const list = ['audit', 'list', '--operation', 'hub_token_rotate', '--json']
    const { records } = JSON.parse((await runInProcess(list, hub.options.env)).stdout)
    expect(records).toMatchObject([{ outcome: 'allowed', caller_kind: 'local' }])
  })

  test('counts for nothing once its file is gone, cut short or open to be guessed', async () => {
    const old = tokenOf()
    for (const text of [old.slice(0, 20), '', `${old} and more`]) {
      writeFileSync(hub.home.hubToken, text)
      expect(await fares(old)).toEqual([401, 401, 401])
      expect(await fares(text || 'x')).toEqual([401, 401, 401])
    }
    rmSync(hub.home.hubToken)
    expect(await fares(old)).toEqual([401, 401, 401])
    expect((await rotate('--json')).exit).toBe(0)
    expect(await fares(tokenOf())).toEqual([200, 403, 200])
  })

  test('may look like a local token, unless it is one', async () => {
    const made = await send(hub.url, {
      method: 'POST',
      path: '/api/v1/tokens',
      bearer: tokenOf(),
      body: '{"role":"viewer"}',
    })
    const { bearer } = JSON.parse(made.text) as { bearer: string }
    const look_alike = `ktok_${'0'.repeat(16)}_${'1'.repeat(64)}`
    expect(await fares(look_alike)).toEqual([401, 401, 401])
    writeFileSync(hub.home.hubToken, look_alike)
    expect(await fares(look_alike)).toEqual([200, 403, 200])
    writeFileSync(hub.home.hubToken, bearer)
    expect(await fares(bearer)).toEqual([200, 403, 200])
  })

  test('is exchanged at the home alone', async () => {
    const { exit, stdout, stderr } = await runInProcess(['token', 'rotate-hub', '--url', hub.url], {
      KNOWTATION_TOKEN: tokenOf(),
    })
    expect([exit, stdout]).toEqual([1, ''])
    expect(stderr).toContain('Use --home in place of --url.')
  })
})
