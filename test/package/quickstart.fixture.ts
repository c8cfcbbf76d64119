import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openBrowser } from '../browser/owner-browser.fixture.ts'
import { SIGN_IN_URL, type Started, signInOnTheWay, startProgram } from '../consent/clients.fixture.ts'
import { PASSWORD } from '../control/owner-visitor.ts'
import { ROOT, readPage } from '../docs/run-guide.fixture.ts'
import { freePort } from '../harness/free-port.ts'
import type { Installed, Person } from './installed.fixture.ts'

/** The commands that the README gives to who has nothing yet. */
export function firstCommands(): string[] {
  const [, block = ''] = /^```sh\n([\s\S]*?)^```$/m.exec(readPage('README.md', 'Install it')) ?? []
  return block.split('\n').flatMap((line) => line.replace(/\s+#.*/, '') || [])
}

/** Types them in an empty folder, each as it stands but for where the release's file lies and which port is free. */
export async function typeFirstCommands(person: Person, { tarball, folder }: Installed): Promise<Started> {
  const port = await freePort()
  const script = firstCommands()
    .map((line) => line.replace(/\.\/knowtation-[\d.]+\.tgz/, tarball))
    .map((line) => line.replace(/^knowtation quickstart/, `$& --port ${port}`))
  // npm puts programs where this person's npm does, and takes what it has fetched before.
  const env = {
    ...person.env,
    npm_config_prefix: folder,
    npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME ?? '', '.npm'),
    npm_config_prefer_offline: 'true',
  }
  const program = startProgram('bash', ['-ec', script.join('\n')], env, person.cwd)
  onTestFinished(() => program.end())
  return program
}

/** The owner follows the link that was printed, and lets the client in that comes to the address in `.mcp.json`. */
export async function beOwnerAndClient(person: Person, link: string): Promise<string> {
  const browser = await openBrowser()
  const client = startClient(person)
  try {
    const page = await browser.newPage()
    await page.goto(link)
    for (const field of await page.locator('input[type=password]').all()) await field.fill(PASSWORD)
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.waitForURL(
      (at) => !at.pathname.startsWith('/owner/link') && !at.pathname.startsWith('/owner/set-up'),
    )
    await page.goto(await client.says(SIGN_IN_URL))
    await signInOnTheWay(page)
    const allow = page.getByRole('button', { name: 'Allow as a member' })
    const ticked = await page.locator('input[type=radio][name=role]:checked').getAttribute('value')
    await allow.click()
    await client.says(/"serverInfo"/)
    send(client, { method: 'notifications/initialized' }, { id: 2, method: 'tools/list', params: {} })
    await client.says(/"tools":\[/)
    return ticked ?? 'nothing'
  } finally {
    await browser.close()
    await client.end()
  }
}

/** A client of somebody else's, at the address that the file of the project names. */
function startClient(person: Person): Started {
  const file = JSON.parse(readFileSync(join(person.cwd, '.mcp.json'), 'utf8')) as {
    mcpServers: { knowtation: { url: string } }
  }
  const { url } = file.mcpServers.knowtation
  const home = join(person.cwd, 'client')
  const proxy = join(ROOT, 'node_modules/mcp-remote/dist/proxy.js')
  const env = { HOME: home, MCP_REMOTE_CONFIG_DIR: home }
  const client = startProgram(process.execPath, [proxy, url, '--allow-http'], env)
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const clientInfo = { name: 'a-client', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  send(client, { id: 1, method: 'initialize', params })
  return client
}

function send({ child }: Started, ...messages: object[]): void {
  for (const message of messages) child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}
