import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createFlowClient, type FlowClient, FlowClientError } from '../../src/client/index.ts'
import { runInProcess } from '../harness/call-cli.ts'
import { storeFlows, type TestHub } from '../harness/test-hub.ts'
import { ask, type Minted, mint, policyWith, startGateHub } from './gate-hub.ts'
import { toolFlow } from './tool-servers.ts'

const FLOW = { flow_id: 'flow_gate', flow_version: '1.2.0' }

let hub: TestHub
let held: Minted
beforeAll(async () => {
  hub = await startGateHub('on')
  held = await mint(hub)
})
afterAll(() => hub.close())

const client = (more: { grant_bearer?: string; base?: string } = {}) =>
  createFlowClient({ base: hub.url, token: hub.credentials.bearers.editor ?? '', ...more })

/** How a call of the client ended, as `status code`. */
async function failure(call: Promise<unknown>): Promise<string> {
  try {
    return `answered ${JSON.stringify(await call)}`
  } catch (error) {
    return error instanceof FlowClientError ? `${error.status} ${error.code}` : (error as Error).name
  }
}

/** A server that is no hub, on loopback. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('the client', () => {
  test('reads and invokes as the grant allows, and hears the codes', async () => {
    const holder: FlowClient = client({ grant_bearer: held.bearer })
    const { projection } = await holder.project('flow_gate', 'agent_bundle', '1.2.0')
    expect(JSON.parse(projection.rendered).flow_id).toBe('flow_gate')
    expect(await holder.projectionStaleness('flow_gate', 'agent_bundle', '1.2.0')).toMatchObject({
      stale: true,
    })
    expect(await holder.invoke('web_search', FLOW)).toMatchObject({ accepted: true })
    expect(await failure(client().invoke('web_search', FLOW))).toBe('403 FLOW_EXTERNAL_GRANT_DENIED')
    expect(await failure(client().project('flow_nope', 'cursor_rule'))).toBe('404 unknown_flow')
    expect((await client().listProjections()).map(({ flow_id }) => flow_id)).toContain('flow_gate')
    await ask(hub, 'flow_external_grant_revoke', { grant_id: held.grant.grant_id })
    expect(await failure(holder.invoke('web_search', FLOW))).toBe('403 FLOW_EXTERNAL_GRANT_REVOKED')
  })

  test('follows no redirect with its credentials', async () => {
    const seen: string[] = []
    const onward = await serve((request, response) => {
      seen.push(request.headers.authorization ?? '')
      response.end('{}')
    })
    const base = await serve((_request, response) => response.writeHead(307, { location: onward }).end())
    expect(await failure(client({ base }).listProjections())).toBe('TypeError')
    expect(seen).toEqual([])
  })

  test('reads and invokes in the vault that it is given', async () => {
    hub.write(hub.home.vaultPolicy('team1'), policyWith())
    await storeFlows(hub.hub, 'team1', [toolFlow('flow_team', ['web_search'])])
    const pin = { flow_id: 'flow_team', flow_version: '1.0.0' }
    const there = await mint(hub, pin, { as: 'hub', vault: 'team1' })
    const token = hub.credentials.bearers.hub ?? ''
    const options = { base: hub.url, token, grant_bearer: there.bearer }
    const own = createFlowClient({ ...options, vault_id: 'team1' })
    expect(await own.project('flow_team', 'agent_bundle')).toMatchObject({ vault_id: 'team1' })
    expect(await own.invoke('web_search', pin)).toMatchObject({ grant_id: there.grant.grant_id })
    expect(await failure(createFlowClient(options).invoke('web_search', pin))).toBe(
      '403 FLOW_EXTERNAL_GRANT_DENIED',
    )
  })

  test('gives up an answer that is too large or none of a hub’s', async () => {
    const endless = await serve((_request, response) => {
      const part = Buffer.alloc(1_048_576, 'x')
      const more = () => {
        while (response.write(part)) if (response.destroyed) return
        response.once('drain', more)
      }
      more()
    })
    expect(await failure(client({ base: endless }).listProjections())).toBe('200 TOO_LARGE')
    const page = await serve((_request, response) => response.end('<html>'))
    expect(await failure(client({ base: page }).listProjections())).toBe('200 UNEXPECTED')
    const nothing = await serve((_request, response) => response.writeHead(500).end('null'))
    expect(await failure(client({ base: nothing }).listProjections())).toBe('500 UNEXPECTED')
    const odd = await serve((_request, response) => response.writeHead(403).end('{"error":{},"code":5}'))
    expect(await failure(client({ base: odd }).listProjections())).toBe('403 UNKNOWN')
  })

  test('quotes no credential that cannot be sent', async () => {
    const use = async (more: object) =>
      createFlowClient({ base: hub.url, token: 'x', ...more }).listProjections()
    for (const credential of ['a\ncanary-5f1c', 'a\u0100canary-5f1c', '\u0000canary-5f1c']) {
      for (const name of ['token', 'grant_bearer'])
        await expect(use({ [name]: credential })).rejects.toThrow(
          new TypeError(`${name} holds a sign that no header can carry. Nothing was sent.`),
        )
    }
    const read_from_a_file = `${hub.credentials.bearers.editor}\n`
    expect(await use({ token: read_from_a_file })).not.toEqual([])
  })
})

test('the command line follows no redirect with its credentials either', async () => {
  const seen: unknown[] = []
  const onward = await serve((request, response) => {
    seen.push(request.headers)
    response.end('{"flows":[]}')
  })
  const base = await serve((_request, response) => response.writeHead(307, { location: onward }).end())
  const env = { KNOWTATION_TOKEN: 'secret-token', KNOWTATION_GRANT_BEARER: held.bearer }
  const { exit, stdout, stderr } = await runInProcess(['flow', 'list', '--json', '--url', base], env)
  expect([exit, JSON.parse(stdout).code, seen]).toEqual([1, 'HUB_UNREACHABLE', []])
  for (const secret of ['secret-token', held.bearer]) expect(stdout + stderr).not.toContain(secret)
})
