import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type HubProcess, runProgram, spawnHub, temporaryHome } from '../e2e/hub-process.fixture.ts'
import { readStored } from '../e2e/stored-state.fixture.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { freshPostgresUrl } from '../store/postgres-server.ts'
import { askingPolicy, pin } from './approvals.fixture.ts'
import type { Json } from './gate-hub.ts'
import { type Hall, hallOf, post } from './grant-crowd.ts'
import { toolFlow } from './tool-servers.ts'

const children: HubProcess[] = []
afterEach(async () => void (await Promise.all(children.splice(0).map((hub) => hub.end('SIGKILL')))))

/** An endpoint that counts what it is sent and answers only when it is told to. */
async function startSlow() {
  const got: string[] = []
  let answers = true
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    got.push(body)
    if (answers) response.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}')
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((closed) => server.close(() => closed()))
  }
  return { url, got, close, hang: () => void (answers = false) }
}

describe.each(DATABASES)('a hub that is killed on %s', (database) => {
  test('loses no request and no yes, and repeats nothing that was begun', { timeout: 240_000 }, async () => {
    using at = temporaryHome()
    const slow = await startSlow()
    const env: Record<string, string> = { FLOW_EXTERNAL_AGENT_ENABLED: '1' }
    if (database === 'postgres') env.KNOWTATION_DATABASE_URL = await freshPostgresUrl()
    const policy = at.home.vaultPolicy('default')
    mkdirSync(dirname(policy), { recursive: true })
    writeFileSync(policy, JSON.stringify(askingPolicy(slow.url)))
    let hub = await spawnHub({ home: at.home.folder, env })
    children.push(hub)
    const again = async () => {
      await hub.end('SIGKILL')
      hub = await spawnHub({ home: at.home.folder, env })
      children.push(hub)
    }
    const owner = async (...argv: string[]) => {
      const { code, stdout, stderr } = await runProgram([...argv, '--json', '--home', at.home.folder], env)
      if (code !== 0) throw new Error(stderr)
      return JSON.parse(stdout)
    }
    const bearer = await grantAt(hallOf(hub, at.home))
    const use = async (payload: object, wait = 0) => {
      const headers = {
        authorization: `Bearer ${hallOf(hub, at.home).token}`,
        'x-flow-external-bearer': bearer,
        'content-type': 'application/json',
        prefer: `wait=${wait}`,
      }
      const body = JSON.stringify({ ...pin, payload })
      const path = '/api/v1/flows/external-tools/post/invoke'
      const answer = await fetch(`${hub.url}${path}`, { method: 'POST', headers, body })
      return { status: answer.status, body: (await answer.json()) as Json }
    }
    const held = use({ n: 1 }, 60).catch(() => 'cut off')
    let waiting = []
    while (waiting.length === 0) waiting = (await owner('approval', 'list', '--state', 'waiting')).data
    await again()
    expect(await held).toBe('cut off')
    const asked = await use({ n: 1 })
    expect([asked.status, asked.body.approval_id]).toEqual([202, waiting[0].approval_id])
    await owner('approval', 'approve', asked.body.approval_id)
    await again()
    expect((await use({ n: 1 })).status).toBe(200)
    await again()
    expect((await use({ n: 1 })).status).toBe(200)
    expect(slow.got).toEqual(['{"n":1}'])
    slow.hang()
    const begun = await use({ n: 2 })
    await owner('approval', 'approve', begun.body.approval_id)
    const cut = use({ n: 2 }, 60).catch(() => 'cut off')
    while (slow.got.length < 2) await new Promise((go) => setTimeout(go, 20))
    await again()
    expect(await cut).toBe('cut off')
    const after = await use({ n: 2 })
    expect([after.status, after.body.code]).toEqual([502, 'FLOW_EXTERNAL_APPROVAL_UNKNOWN'])
    expect((await owner('approval', 'show', begun.body.approval_id)).state).toBe('unknown')
    expect(slow.got).toEqual(['{"n":1}', '{"n":2}'])
    await hub.end('SIGTERM')
    await slow.close()
    expect((await readStored(at.home, env)).chain).toMatchObject({ intact: true })
  })
})

/** A flow with the tools, as an owner would approve it, and a grant for it. */
async function grantAt(hall: Hall): Promise<string> {
  const bundle = toolFlow(pin.flow_id, ['post'])
  const { body } = await post(hall, '/api/v1/flows', { bundle, intent: 'It helps.' })
  const { body: made } = await post(hall, '/api/v1/tokens', { role: 'admin' })
  await post({ ...hall, token: made.bearer }, `/api/v1/proposals/${body.proposal_id}/approve`, {})
  const wanted = { flow_version: pin.flow_version, requested_tools: ['post'] }
  const minted = await post(hall, `/api/v1/flows/${pin.flow_id}/external-grants`, wanted)
  return minted.body.bearer
}
