import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestHub, storeFlows, type TestHub } from '../../../../test/harness/test-hub.ts'
import { canonicalBundle } from '../bundle/flow-record.ts'
import { sampleBundle } from '../bundle/sample-bundle.fixture.ts'

const SECRET = `ghp_${'aB3dE6gH9j'.repeat(4).slice(0, 36)}`
const upstream = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ note: `the key is ${SECRET}, keep it` }))
})
let hub: TestHub
let url: string

beforeAll(async () => {
  await new Promise<void>((ready) => upstream.listen(0, '127.0.0.1', ready))
  url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/`
  hub = await startTestHub({ policy: policyWith({}) })
  const { flow, steps } = sampleBundle()
  const first = steps[0]
  if (!first) throw new Error('The sample has no steps.')
  const refs = [{ kind: 'external_tool' as const, id: 'leaky' }]
  await storeFlows(hub.hub, 'default', [
    canonicalBundle({
      flow: { ...flow, scope: 'personal' },
      steps: [{ ...first, skill_refs: refs }, ...steps.slice(1)],
    }),
  ])
})
afterAll(async () => {
  await hub.close()
  upstream.close()
})

function policyWith(settings: object) {
  const provider = { kind: 'http', method: 'POST', url }
  return { external_agent: { enabled: true, allowed_tools: [{ id: 'leaky', provider, ...settings }] } }
}

function ask(path: string, body: object, more = {}): Promise<string> {
  return fetch(`${hub.url}/api/v1/flows/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${hub.credentials.bearers.hub}`,
      'content-type': 'application/json',
      ...more,
    },
    body: JSON.stringify(body),
  }).then((answer) => answer.text())
}

async function invoke(): Promise<string> {
  const { flow } = sampleBundle()
  const minted = await ask(`${flow.flow_id}/external-grants`, {
    flow_version: flow.version,
    requested_tools: ['leaky'],
  })
  const { bearer } = JSON.parse(minted) as { bearer: string }
  const use = { flow_id: flow.flow_id, flow_version: flow.version }
  return ask('external-tools/leaky/invoke', use, { 'x-flow-external-bearer': bearer })
}

test('a secret in what a tool answers is taken out, with the rule named', async () => {
  const answer = await invoke()
  expect(answer).toContain('the key is [REDACTED:github_token]')
  expect(answer).not.toContain(SECRET)
})

test('the owner can except a tool from a rule', async () => {
  hub.write(hub.home.vaultPolicy('default'), policyWith({ redaction_exceptions: ['github_token'] }))
  expect(await invoke()).toContain(SECRET)
})

test('an exception that names no rule stops the tool instead of letting everything through', async () => {
  hub.write(hub.home.vaultPolicy('default'), policyWith({ redaction_exceptions: ['github_tokens'] }))
  const answer = await invoke()
  expect(answer).toContain('RUNTIME_ERROR')
  expect(answer).not.toContain(SECRET)
})
