import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBrowser } from '../test/browser/owner-browser.fixture.ts'
import { consentInBrowser, SIGN_IN_URL, startProgram } from '../test/consent/clients.fixture.ts'
import { startSignInHub } from '../test/consent/sign-in.fixture.ts'

/**
 * Connects clients that are too large, or too quick to change, for `npm test`: each from npm, unmodified, in a folder of
 * its own, with nothing but the hub's address. Chromium is the owner. Prints a line for each.
 */
interface Tried {
  readonly name: string
  readonly version: string
  /** Its commands, in order; the browser goes where the one that signs in says. */
  readonly steps: readonly (readonly string[])[]
  /** What it asks before it opens a browser, where it asks. */
  readonly asks?: RegExp
  /** What it says once it is connected. */
  readonly connected: RegExp
}

const CLIENTS = (url: string): Tried[] => [
  {
    name: '@anthropic-ai/claude-code',
    version: process.env.CLAUDE_CODE_VERSION ?? '2.1.327',
    steps: [
      ['claude', 'mcp', 'add', '--transport', 'http', 'hub', url],
      ['claude', 'mcp', 'login', 'hub'],
      ['claude', 'mcp', 'list'],
    ],
    connected: /hub.*(✓|✔|connected)/i,
  },
  {
    name: '@google/gemini-cli',
    version: process.env.GEMINI_CLI_VERSION ?? '0.61.0',
    steps: [
      ['gemini', 'mcp', 'add', '--scope', 'user', '--transport', 'http', 'hub', url],
      ['gemini', '--prompt', '/mcp auth hub'],
      ['gemini', 'mcp', 'list'],
    ],
    asks: /\[Y\/n\]/,
    connected: /hub.*(✓|connected)/i,
  },
]

const TICKED = { flow: 'flow_connected', tools: ['web_search'] }

/** Some sign in at a terminal alone; it is wide, so that addresses stay in one line. */
function startAtTerminal(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const line = [command, ...args].map((word) => `'${word}'`).join(' ')
  return startProgram('script', ['-qec', `stty cols 2000 rows 50; ${line}`, '/dev/null'], env)
}

async function tryClient(tried: Tried, browser: Awaited<ReturnType<typeof openBrowser>>): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'knowtation-client-'))
  try {
    const wanted = `${tried.name}@${tried.version}`
    execFileSync('npm', ['install', '--prefix', home, '--no-audit', '--no-fund', wanted], { stdio: 'ignore' })
    const bin = join(home, 'node_modules', '.bin')
    const env = {
      HOME: home,
      GEMINI_API_KEY: 'none',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      TERM: 'xterm',
      NO_COLOR: '1',
    }
    for (const [command = '', ...args] of tried.steps) {
      const isLast = args.at(-1) === 'list'
      const isSignIn = args.includes('login') || args.includes('--prompt')
      const program = isSignIn
        ? startAtTerminal(join(bin, command), args, env)
        : startProgram(join(bin, command), args, env)
      try {
        if (isSignIn) {
          if (tried.asks) {
            await program.says(tried.asks)
            program.child.stdin?.write('y\r')
          }
          await consentInBrowser(browser, await program.says(SIGN_IN_URL), TICKED)
          await program.says(/success|authenticated|connected/i)
        } else if (isLast) await program.says(tried.connected)
        else await program.done()
      } finally {
        await program.end()
      }
    }
    return 'connected'
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

const { hub } = await startSignInHub()
const browser = await openBrowser()
let failed = 0
for (const tried of CLIENTS(`${hub.url}/mcp`)) {
  const outcome = await tryClient(tried, browser).catch((error: Error) => {
    failed++
    return `not connected: ${error.message.slice(0, 2_000)}`
  })
  process.stdout.write(`${tried.name} ${tried.version}: ${outcome}\n`)
}
await browser.close()
await hub.close()
process.exitCode = failed
