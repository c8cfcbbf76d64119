import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { PASSWORD } from '../control/owner-visitor.ts'
import { childEnv } from '../harness/run-program.ts'

/** What the owner ticks in the browser. */
export interface Ticks {
  readonly flow: string
  readonly tools: readonly string[]
}

/** The owner in a fresh browser: signs in where the program's address leads, ticks, and allows. */
export async function consentInBrowser(browser: Browser, url: string, ticks: Ticks): Promise<string> {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    const faults: string[] = []
    page.on(
      'console',
      (message) => message.text().includes('Content Security Policy') && faults.push(message.text()),
    )
    await page.goto(url)
    await consentOnPage(page, ticks)
    if (faults.length > 0) throw new Error(faults.join('\n'))
    return page.url()
  } finally {
    await context.close()
  }
}

/** The same in the window in which the program itself is a page. */
export async function consentOnPage(page: Page, { flow, tools }: Ticks): Promise<void> {
  await signInOnTheWay(page)
  await expectReadable(page)
  await page.locator('select[name=flow]').selectOption(flow)
  await page.getByRole('button', { name: 'Choose' }).click()
  for (const tool of tools) await page.getByRole('checkbox', { name: tool }).check()
  await page.getByRole('button', { name: 'Allow this flow' }).click()
  await page.waitForURL((at) => !at.pathname.startsWith('/oauth/consent'))
}

/** What is to be ticked stands in one line beside its mark. */
async function expectReadable(page: Page): Promise<void> {
  for (const role of ['viewer', 'editor', 'evaluator', 'admin']) {
    const mark = await page.locator(`input[type=radio][value=${role}]`).boundingBox()
    const word = await page.locator(`label.box:has(input[value=${role}]) > span`).boundingBox()
    if (!mark || !word || mark.width > 30 || word.width < 200) throw new Error(`${role} cannot be read.`)
  }
}

/** At the address that programs know the owner signs in again. */
export async function signInOnTheWay(page: Page): Promise<void> {
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Sign in as the owner' }).click()
  await page.getByRole('heading', { name: 'Let this program in?' }).waitFor()
}

/** Where a program in this process waits for its answer. */
export async function startCallback(host = '127.0.0.1') {
  const { promise, resolve } = Promise.withResolvers<URL>()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (url.pathname === '/callback') resolve(url)
    response.end('You can close this page.')
  })
  await new Promise<void>((done) => server.listen(0, host, done))
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
  const name = host.includes(':') ? `[${host}]` : host
  return { url: `http://${name}:${port}/callback`, answered: promise, close }
}

/** A program that was started, with all that it has said so far. */
export interface Started {
  readonly child: ChildProcess
  said(): string
  /** The first match in what it says; fails with what it said when it ends without. */
  says(pattern: RegExp): Promise<string>
  /** Ends by itself. */
  done(): Promise<unknown>
  end(): Promise<void>
}

const SAYS_WITHIN_MS = 60_000

/** Starts a program whose browser only notes what it was to open. */
export function startProgram(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd?: string,
): Started {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-opened-'))
  const opened = join(folder, 'opened')
  const note = `#!/bin/sh\nprintf '%s\\n' "$1" >> '${opened}'\n`
  writeFileSync(join(folder, 'xdg-open'), note, { mode: 0o755 })
  const all = childEnv({ ...env, PATH: `${folder}:${process.env.PATH}`, BROWSER: join(folder, 'xdg-open') })
  const child = spawn(command, args, { env: all, stdio: 'pipe', ...(cwd !== undefined && { cwd }) })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => (said += piece.toString()))
  const ended = once(child, 'close')
  return {
    child,
    said: () => said,
    async says(pattern) {
      const until = Date.now() + SAYS_WITHIN_MS
      for (;;) {
        const noted = existsSync(opened) ? readFileSync(opened, 'utf8') : ''
        const found = pattern.exec(noted + said)?.[0]
        if (found !== undefined) return found
        if (Date.now() > until || child.exitCode !== null)
          throw new Error(`It did not say ${pattern}: ${said}`)
        await new Promise((done) => setTimeout(done, 50))
      }
    },
    done: () => ended,
    async end() {
      if (child.exitCode === null) child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The address that a program wants its person's browser to open. */
export const SIGN_IN_URL = /http:\/\/[\w.:[\]-]+\/oauth\/authorize\?[\w.~%&=+:/-]{200,}/
