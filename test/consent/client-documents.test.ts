import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SafeFetch, SourceFault } from '../../src/domains/control/connectors/connector.ts'
import { openPublicFetch, openSafeFetch } from '../../src/domains/control/connectors/safe-fetch.ts'
import { findDocumentClient } from '../../src/surfaces/http/oauth/client-documents.ts'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { askToComeIn, CALLBACK, startSignInHub } from './sign-in.fixture.ts'

let hub: TestHub
beforeAll(async () => {
  ;({ hub } = await startSignInHub({ config: { mcp: { client_metadata_hosts: ['vendor.example'] } } }))
})
afterAll(() => hub.close())

const document = (id: string, changes: object = {}) => ({
  client_id: id,
  client_name: 'A vendor',
  redirect_uris: [CALLBACK],
  logo_uri: 'http://169.254.169.254/',
  ...changes,
})

/** A fetch that answers, and how often it was asked. */
function answering(body: unknown, changes: object = {}) {
  const asked: string[] = []
  const fetch = async (url: string) => {
    asked.push(url)
    return { status: 200, headers: new Headers(), body: Buffer.from(JSON.stringify(body)), url, ...changes }
  }
  return { asked, open: () => Object.assign(fetch, { locate: async () => '' }) as SafeFetch }
}

test('a listed vendor is asked once, and of its document counts what the sign-in needs', async () => {
  const id = 'https://vendor.example/client.json'
  const { asked, open } = answering(document(id))
  const first = await findDocumentClient(hub.hub, id, open)
  expect(first).toMatchObject({
    client_name: 'A vendor',
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'none',
  })
  expect(first).not.toHaveProperty('logo_uri')
  // What has changed meanwhile counts when it is fetched again, and not before.
  const changed = answering(document(id, { redirect_uris: ['http://evil.example/'] }))
  expect(await findDocumentClient(hub.hub, id, changed.open)).toEqual(first)
  expect([asked, changed.asked]).toEqual([[id], []])
})

test.each([
  'https://other.example/client.json',
  'https://vendor.example.evil.example/client.json',
  'http://vendor.example/client.json',
  'https://vendor.example:8443/client.json',
  'https://user@vendor.example/client.json',
  'https://vendor.example/',
  'https://vendor.example/a/../client.json',
  'https://vendor.example/client.json?x=1',
  'https://vendor.example/client.json#x',
  'https://127.0.0.1/client.json',
])('%s is never asked', async (id) => {
  const { asked, open } = answering(document(id))
  expect([await findDocumentClient(hub.hub, id, open), asked]).toEqual([undefined, []])
})

test.each<readonly [string, object, object]>([
  ['that names another client', { client_id: 'https://vendor.example/b.json' }, {}],
  ['that led elsewhere', {}, { url: 'https://10.0.0.1/client.json' }],
  ['that is not there', {}, { status: 404 }],
  ['with a foreign address', { redirect_uris: ['http://evil.example/'] }, {}],
  ['with a name of 5,000 characters', { client_name: 'x'.repeat(5_000) }, {}],
])('a document %s counts for nothing', async (_name, changes, answer) => {
  const id = 'https://vendor.example/odd.json'
  const { open } = answering(document(id, changes), answer)
  expect(await findDocumentClient(hub.hub, id, open)).toBeUndefined()
})

const closed = () =>
  Object.assign(() => Promise.reject(new SourceFault('refused', 'closed')), {
    locate: async () => '',
  }) as SafeFetch

test('an address that may not be reached is a program that nobody knows', async () => {
  expect(await findDocumentClient(hub.hub, 'https://vendor.example/closed.json', closed)).toBeUndefined()
  const { answer } = await askToComeIn(hub, { client_id: 'https://127.0.0.1/client.json' })
  expect(answer.text).toContain('Start again in your program')
})

test('what the owner allows sources is nothing that a program may have asked', async () => {
  const config = {
    control: { allow_private_sources: true },
    mcp: { client_metadata_hosts: ['vendor.example'] },
  }
  await using allowing = await startTestHub({ config })
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(String(request.url))
    response.end('{}')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const signal = AbortSignal.timeout(5_000)
  try {
    const reached = await openSafeFetch(allowing.hub, signal)(`http://127.0.0.1:${port}/source`)
    expect([reached.status, asked]).toEqual([200, ['/source']])
    const fetch = openPublicFetch(allowing.hub, signal)
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'])
      await expect(fetch(`http://${host}:${port}/document`)).rejects.toThrow()
    expect(asked).toEqual(['/source'])
  } finally {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
})

test('the metadata says so where hosts are listed, and there alone', async () => {
  const { text } = await send(hub.url, { path: '/.well-known/oauth-authorization-server' })
  expect(JSON.parse(text).client_id_metadata_document_supported).toBe(true)
})
