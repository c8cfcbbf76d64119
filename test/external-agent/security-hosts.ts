import { channel } from 'node:diagnostics_channel'
import { afterAll, beforeAll, expect } from 'vitest'
import { createFlowClient, HOSTED_HOSTNAMES } from '../../src/client/index.ts'
import { runInProcess } from '../harness/call-cli.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { head, sendRaw } from '../rest/raw-http.fixture.ts'
import { codeOf, send } from '../rest/rest-hub.fixture.ts'
import { ask, startGateHub, turnGate, writePolicy } from './gate-hub.ts'

const PINNED = 'api.knowtation.store'
const OFF = 'FLOW_HOSTED_PROJECTION_DISABLED'
const HOSTED_GATE = 'FLOW_HOSTED_PROJECTION_ENABLED'

const FOREIGN_HOSTS = [
  'evil.example',
  'api.knowtation.store.evil.example',
  'api.knowtation.store.',
  'xapi.knowtation.store',
  'api-knowtation.store',
  'knowtation.store',
  'api.knowtation.store@evil.example',
  'evil.example@api.knowtation.store',
  'user:pass@api.knowtation.store',
  'api.knowtation.store:80:80',
  'api.knowtation.store:443.evil.example',
  'api.knowtation.store:',
  'api.knowtation.store:x',
  'api.knowtation.store#evil.example',
  'api.knowtation.store/evil',
  'api.knowtation.store, evil.example',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  '127.0.0.1@evil.example',
  'evil.example:127.0.0.1',
  '0.0.0.0',
  '127.1',
  '2130706433',
  '0x7f000001',
  '[::ffff:127.0.0.1]',
  '[::]',
]

const FORWARDED = [
  `X-Forwarded-Host: ${PINNED}`,
  'X-Forwarded-Host: 127.0.0.1',
  `Forwarded: host=${PINNED};for=127.0.0.1`,
  `X-Original-Host: ${PINNED}`,
  `X-Host: ${PINNED}`,
  'X-Forwarded-For: 127.0.0.1',
]

const FOREIGN_BASES = [
  'https://evil.example',
  'http://evil.example',
  `http://${PINNED}`,
  `https://${PINNED}.evil.example`,
  `https://${PINNED}@evil.example`,
  `https://user:pass@${PINNED}`,
  'https://127.0.0.1.evil.example',
  'https://localhost.evil.example',
  'http://0.0.0.0:4747',
  'http://10.0.0.1:4747',
  'ftp://127.0.0.1',
  'file:///etc/passwd',
  'not a url',
]

const path = (harness = 'agent_bundle') =>
  `/api/v1/flows/flow_gate/projection?harness=${harness}&version=1.2.0`

const expectOff = (told: { status: number; text: string }, why: string) => {
  expect([why, told.status, codeOf(told)]).toEqual([why, 403, OFF])
  expect(told.text).not.toContain('projection')
}

/** Under which names the hub answers, and with which names a client talks. */
export function describeHosts(): void {
  let hub: TestHub
  beforeAll(async () => {
    const config = { rate_limits: { failed_authentications_per_minute: 1_000_000 } }
    hub = await startGateHub('on', { config, env: { [HOSTED_GATE]: '1' } })
  })
  afterAll(() => hub.close())
  const fetch = (host: string, harness?: string) =>
    send(hub.url, { path: path(harness), bearer: hub.credentials.bearers.gateway, headers: { host } })
  const sent = async (...lines: string[]) => {
    const authorization = `Authorization: Bearer ${hub.credentials.bearers.gateway}`
    const { status, body } = await sendRaw(hub.url, head(...lines, authorization, 'Connection: close'))
    return { status, text: body }
  }

  verifies(
    ['GATE-131', 'GATE-132', 'GATE-133'],
    'a gate of their own, for bundles and for hosted reads only',
    async () => {
      expect((await fetch(PINNED)).status).toBe(200)
      for (const value of [undefined, '0', 'yes']) {
        if (value === undefined) delete hub.options.env[HOSTED_GATE]
        else hub.options.env[HOSTED_GATE] = value
        expectOff(await fetch(PINNED), `${value}`)
        const local = await ask(hub, 'flow_project', { flow_id: 'flow_gate', harness: 'agent_bundle' })
        expect(local.status).toBe(200)
        for (const harness of ['cursor_rule', 'cli_runbook'])
          expect((await fetch(PINNED, harness)).status).toBe(200)
      }
      // Where the environment says neither, the policy does, by its own word and not by the agents'.
      writePolicy(hub, { enabled: true })
      expectOff(await fetch(PINNED), 'enabled')
      writePolicy(hub, { hosted_projection_enabled: true })
      expect((await fetch(PINNED)).status).toBe(200)
      hub.options.env[HOSTED_GATE] = '0'
      expectOff(await fetch(PINNED), 'the environment wins')
      writePolicy(hub)
      turnGate(hub, '0')
      expect(codeOf(await fetch(PINNED))).toBe('FLOW_HARNESS_UNSUPPORTED')
      turnGate(hub, '1')
      hub.options.env[HOSTED_GATE] = '1'
    },
  )

  verifies(['GATE-134', 'GATE-135', 'GATE-195'], 'are served under pinned names and no others', async () => {
    for (const name of [PINNED, 'API.Knowtation.Store', `${PINNED}:443`])
      expect([name, (await fetch(name)).status]).toEqual([name, 200])
    for (const host of FOREIGN_HOSTS) {
      expectOff(await sent(`GET ${path()} HTTP/1.1`, `Host: ${host}`), host)
      for (const harness of ['cursor_rule'])
        expectOff(await fetch(host.replace(/[^ -~]/g, ''), harness), host)
    }
    for (const line of FORWARDED)
      expectOff(await sent(`GET ${path()} HTTP/1.1`, 'Host: evil.example', line), line)
    expectOff(await sent(`GET http://evil.example${path()} HTTP/1.1`, `Host: ${PINNED}`), 'target')
    expectOff(await sent(`GET http://${PINNED}${path()} HTTP/1.1`, 'Host: evil.example'), 'host')
    expectOff(
      await sent(`GET http://${PINNED}@evil.example${path()} HTTP/1.1`, `Host: ${PINNED}`),
      'userinfo',
    )
    expectOff(await sent(`GET ${path()} HTTP/1.1`), 'no host')
    const twice = await sent(`GET ${path()} HTTP/1.1`, `Host: ${PINNED}`, 'Host: evil.example')
    expect([twice.status, twice.text.includes('rendered')]).toEqual([400, false])
    // A forwarded name takes nothing away either: what counts is where the request came in.
    const local = await send(hub.url, {
      path: path(),
      bearer: hub.credentials.bearers.editor,
      headers: { 'x-forwarded-host': 'evil.example' },
    })
    expect(local.status).toBe(200)
  })

  verifies('GATE-136', 'are asked for by the client and the command line at pinned names only', async () => {
    let connections = 0
    const note = () => void connections++
    channel('net.client.socket').subscribe(note)
    expect(HOSTED_HOSTNAMES).toEqual([PINNED])
    for (const base of FOREIGN_BASES) {
      expect(() => createFlowClient({ base, token: 'secret' }), base).toThrow(TypeError)
      const words = ['flow', 'project', 'flow_gate', '--harness', 'agent_bundle', '--json', '--url', base]
      const env = { KNOWTATION_HOME: hub.home.folder, KNOWTATION_TOKEN: 'secret' }
      const { exit, stdout, stderr } = await runInProcess(words, env)
      expect([base, exit === 0, stdout.includes('rendered')]).toEqual([base, false, false])
      expect(stdout + stderr).not.toContain('secret')
    }
    expect(() => createFlowClient({ base: `https://${PINNED}:8443`, token: 'secret' })).toThrow(TypeError)
    expect(connections).toBe(0)
    createFlowClient({ base: `https://${PINNED}`, token: 'secret' })
    const base = hub.url.replace('127.0.0.1', 'localhost')
    const client = createFlowClient({ base, token: hub.credentials.bearers.editor ?? '' })
    const { projection } = await client.project('flow_gate', 'agent_bundle', '1.2.0')
    channel('net.client.socket').unsubscribe(note)
    expect([projection.harness, connections > 0]).toEqual(['agent_bundle', true])
  })
}
