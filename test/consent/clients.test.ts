import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { PACKAGE_FOLDER } from '../../src/platform/basics/package-folder.ts'
import { openBrowser } from '../browser/owner-browser.fixture.ts'
import { freePort } from '../harness/free-port.ts'
import type { TestHub } from '../harness/test-hub.ts'
import {
  consentInBrowser,
  consentOnPage,
  SIGN_IN_URL,
  type Started,
  startCallback,
  startProgram,
} from './clients.fixture.ts'
import { startSignInHub } from './sign-in.fixture.ts'

/** Clients as people have them, unmodified: each knows the address and nothing else. */
const TICKED = { flow: 'flow_connected', tools: ['web_search'] }
const SEEN = ['flow_project', 'web_search']
const LIMIT_MS = 180_000

let hub: TestHub
let browser: Browser
const started: Started[] = []
const folders: string[] = []
beforeAll(async () => {
  ;({ hub } = await startSignInHub())
  browser = await openBrowser()
})
afterEach(async () => {
  for (const program of started.splice(0)) await program.end()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})
afterAll(async () => {
  await browser.close()
  await hub.close()
})

const address = () => new URL(`${hub.url}/mcp`)

function run(args: readonly string[], env: NodeJS.ProcessEnv, command = process.execPath): Started {
  const program = startProgram(command, args, env)
  started.push(program)
  return program
}

function ownHome(): string {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-client-'))
  folders.push(folder)
  return folder
}

/** What a program in this process keeps of its sign-in. */
function keeper(redirectUrl: string) {
  const kept: Record<string, unknown> = {}
  let led: URL | undefined
  return {
    led: () => String(led),
    provider: {
      redirectUrl,
      clientMetadata: { client_name: 'A client of the SDK', redirect_uris: [redirectUrl] },
      clientInformation: () => kept.client,
      saveClientInformation: (client: unknown) => void (kept.client = client),
      tokens: () => kept.tokens,
      saveTokens: (tokens: unknown) => void (kept.tokens = tokens),
      saveCodeVerifier: (verifier: string) => void (kept.verifier = verifier),
      codeVerifier: () => String(kept.verifier),
      redirectToAuthorization: (url: URL) => void (led = url),
    },
  }
}

interface AnyTransport {
  finishAuth(...answer: unknown[]): Promise<void>
}
interface AnyClient {
  connect(transport: AnyTransport): Promise<void>
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(call: { name: string; arguments: object }): Promise<unknown>
  close(): Promise<void>
}

const info = { name: 'a-client', version: '1.0' }
const SDKS: [string, () => AnyClient, (provider: object) => AnyTransport][] = [
  [
    'SDK 1.x',
    () => new OldClient(info) as unknown as AnyClient,
    (authProvider) =>
      new OldHttp(address(), { authProvider: authProvider as never }) as unknown as AnyTransport,
  ],
  [
    'SDK 2.x, in the newest protocol',
    () => new NewClient(info, { versionNegotiation: { mode: 'auto' } }) as unknown as AnyClient,
    (authProvider) =>
      new NewHttp(address(), { authProvider: authProvider as never }) as unknown as AnyTransport,
  ],
]

test.each(SDKS)(
  '%s comes in by the address, and lists what was ticked',
  async (_name, makeClient, makeTransport) => {
    const callback = await startCallback()
    const { provider, led } = keeper(callback.url)
    const first = makeTransport(provider)
    await expect(makeClient().connect(first)).rejects.toThrow()
    await consentInBrowser(browser, led(), TICKED)
    const answer = await callback.answered
    // The older SDK takes the code alone, the newer one the whole answer, and looks at who gave it.
    await first.finishAuth(_name === 'SDK 1.x' ? answer.searchParams.get('code') : answer.searchParams)
    const client = makeClient()
    await client.connect(makeTransport(provider))
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(SEEN)
    expect(await client.callTool({ name: 'web_search', arguments: {} })).toHaveProperty('content')
    await client.close()
    await callback.close()
  },
  LIMIT_MS,
)

test.each(['127.0.0.1', '::1', 'localhost'])(
  'an answer gets to a program that waits at %s',
  async (host) => {
    const callback = await startCallback(host)
    const { provider, led } = keeper(callback.url)
    const transport = new OldHttp(address(), { authProvider: provider as never })
    await expect(new OldClient(info).connect(transport as never)).rejects.toThrow()
    await consentInBrowser(browser, led(), TICKED)
    expect((await callback.answered).searchParams.get('code')).toMatch(/^kmcc_/)
    await callback.close()
  },
  LIMIT_MS,
)

test(
  'mcp-remote comes in by the address, for a client that speaks stdio',
  async () => {
    const env = { MCP_REMOTE_CONFIG_DIR: ownHome(), HOME: ownHome() }
    const program = run(
      [join(PACKAGE_FOLDER, 'node_modules/mcp-remote/dist/proxy.js'), `${hub.url}/mcp`, '--allow-http'],
      env,
    )
    const send = (message: object) =>
      program.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: info },
    })
    await consentInBrowser(browser, await program.says(SIGN_IN_URL), TICKED)
    await program.says(/"serverInfo"/)
    send({ method: 'notifications/initialized' })
    send({ id: 2, method: 'tools/list', params: {} })
    const answer = await program.says(/\{[^\n]*"tools":\[[^\n]*/)
    expect(JSON.parse(answer).result.tools.map(({ name }: { name: string }) => name)).toEqual(SEEN)
  },
  LIMIT_MS,
)

test(
  'the Inspector comes in by the address',
  async () => {
    const launcher = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js'
    const home = ownHome()
    const args = [
      '--cli',
      `${hub.url}/mcp`,
      '--transport',
      'http',
      '--format',
      'json',
      '--method',
      'tools/list',
    ]
    const program = run([join(PACKAGE_FOLDER, launcher), ...args], {
      HOME: home,
      MCP_CATALOG_PATH: join(home, 'catalog.json'),
      MCP_AUTO_OPEN_ENABLED: 'true',
    })
    await consentInBrowser(browser, await program.says(SIGN_IN_URL), TICKED)
    await program.says(/"web_search"/)
    expect(program.said()).not.toContain('"flow_list"')
  },
  LIMIT_MS,
)

test(
  "the Inspector's page comes in by the address",
  async () => {
    const launcher = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js'
    const args = ['--web', '--transport', 'http', '--server-url', `${hub.url}/mcp`]
    const program = run([join(PACKAGE_FOLDER, launcher), ...args], {
      HOME: ownHome(),
      MCP_AUTO_OPEN_ENABLED: 'false',
      HOST: '127.0.0.1',
      CLIENT_PORT: String(await freePort()),
      MCP_SANDBOX_PORT: String(await freePort()),
    })
    const context = await browser.newContext()
    try {
      const page = await context.newPage()
      await page.goto(await program.says(/http:\/\/127\.0\.0\.1:\d+\/?\?\S+/))
      await page.getByRole('switch').first().click({ force: true })
      await consentOnPage(page, TICKED)
      await page.getByText('Tools', { exact: true }).click()
      for (const seen of SEEN) await page.getByText(seen, { exact: true }).first().waitFor()
      for (const other of ['calendar', 'flow_list'])
        expect(await page.getByText(other, { exact: true }).count()).toBe(0)
    } finally {
      await context.close()
    }
  },
  LIMIT_MS,
)

test(
  'Codex comes in by the address',
  async () => {
    const codex = join(PACKAGE_FOLDER, 'node_modules/@openai/codex/bin/codex.js')
    const home = ownHome()
    const env = { HOME: home, CODEX_HOME: home }
    const file = ['-c', 'mcp_oauth_credentials_store="file"']
    const added = run([codex, 'mcp', 'add', 'hub', '--url', `${hub.url}/mcp`, ...file], env)
    const url = await added.says(SIGN_IN_URL)
    await consentInBrowser(browser, url, TICKED)
    await added.says(/success/i)
    const server = run([codex, 'app-server', ...file], env)
    const send = (message: object) => server.child.stdin?.write(`${JSON.stringify(message)}\n`)
    send({
      id: 1,
      method: 'initialize',
      params: { clientInfo: { name: 'a-test', title: 'A test', version: '1.0' } },
    })
    await server.says(/"id":1/)
    send({ method: 'initialized' })
    send({ id: 2, method: 'mcpServerStatus/list', params: {} })
    const answer = JSON.parse(await server.says(/\{"id":2,[^\n]*|\{[^\n]*"id":2\}/))
    const found = answer.result.data.find(({ name }: { name: string }) => name === 'hub')
    expect(Object.keys(found.tools).toSorted()).toEqual(SEEN)
  },
  LIMIT_MS,
)
