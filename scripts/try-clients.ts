import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { PACKAGE_FOLDER } from '../src/platform/basics/package-folder.ts'
import { openBrowser } from '../test/browser/owner-browser.fixture.ts'
import { consentInBrowser, SIGN_IN_URL, startProgram } from '../test/consent/clients.fixture.ts'
import { startSignInHub } from '../test/consent/sign-in.fixture.ts'

const HELP = `node scripts/try-clients.ts [NAME…]

Connects clients that are too large, or change too quickly, for \`npm test\`: each unmodified from npm, in a temporary
folder of its own, with nothing but the address of a hub that is started for this. Chromium is the owner, who ticks one
tool of two. Prints a line for each: whether it connected, and which tools the hub listed to it. Exits with the number of
those that did not connect, or were listed anything else than what was ticked.

NAME       a part of a package's name, such as claude; without one, all are tried

It needs   the npm registry; Chromium (/usr/bin/chromium, or the one that CHROMIUM names); \`script\` of util-linux, since
           some sign in at a terminal alone; 1 GB in the temporary folder; Node of this checkout first on the PATH.
           No account with any vendor: nothing is asked of a model.
Versions   CLAUDE_CODE_VERSION, GEMINI_CLI_VERSION, OPENCODE_VERSION, MCPORTER_VERSION name others than those tried last.
`

interface Tried {
  readonly name: string
  readonly version: string
  /** Its commands, in order. */
  readonly steps: readonly (readonly string[])[]
  /** What begins the words of the command that signs in; the browser goes where it says. */
  readonly signIn: string
  /** What it asks before it opens a browser, where it asks. */
  readonly asks?: RegExp
  /** What it says once it is connected. */
  readonly connected: RegExp
}

/** The command line of this checkout, which writes the client's own file. */
const CONNECT = [process.execPath, join(PACKAGE_FOLDER, 'bin/knowtation.js'), 'connect']

const CLIENTS = (url: string): Tried[] => [
  {
    name: '@anthropic-ai/claude-code',
    version: process.env.CLAUDE_CODE_VERSION ?? '2.1.327',
    steps: [
      ['claude', 'mcp', 'add', '--transport', 'http', 'hub', url],
      ['claude', 'mcp', 'login', 'hub'],
      ['claude', 'mcp', 'list'],
    ],
    signIn: 'claude mcp login',
    connected: /hub.*(✓|✔|connected)/i,
  },
  {
    name: '@google/gemini-cli',
    version: process.env.GEMINI_CLI_VERSION ?? '0.61.0',
    steps: [
      [...CONNECT, 'gemini', '--url', url, '--name', 'hub'],
      ['gemini', '--prompt', '/mcp auth hub'],
      ['gemini', 'mcp', 'list'],
    ],
    signIn: 'gemini --prompt',
    asks: /\[Y\/n\]/,
    connected: /hub.*(✓|connected)/i,
  },
  {
    name: 'opencode-ai',
    version: process.env.OPENCODE_VERSION ?? '1.18.33',
    steps: [
      [...CONNECT, 'opencode', '--url', url, '--name', 'hub'],
      ['opencode', 'mcp', 'auth', 'hub'],
      ['opencode', 'mcp', 'list'],
    ],
    signIn: 'opencode mcp auth',
    connected: /hub.*connected/i,
  },
  {
    name: 'mcporter',
    version: process.env.MCPORTER_VERSION ?? '0.12.3',
    steps: [
      ['mcporter', 'config', 'add', 'hub', url, '--auth', 'oauth', '--scope', 'home'],
      ['mcporter', 'auth', 'hub'],
      ['mcporter', 'list', 'hub', '--json'],
    ],
    signIn: 'mcporter auth',
    connected: /"web_search"/,
  },
]

const ENDS_WITHIN_MS = 15_000
const TICKED = { flow: 'flow_connected', tools: ['web_search'] }
const SEEN = 'flow_project, web_search'

/** Some sign in at a terminal alone; it is wide, so that addresses stay in one line. */
function startAtTerminal(command: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd: string) {
  const line = [command, ...args].map((word) => `'${word}'`).join(' ')
  return startProgram('script', ['-qec', `stty cols 2000 rows 50; ${line}`, '/dev/null'], env, cwd)
}

/** The lists of tools that leave this process from now on, each once: what a client sees is what the hub sent to it. */
function listen(): { lists: Set<string>; stop(): void } {
  const lists = new Set<string>()
  const { write, end } = ServerResponse.prototype
  const note = (piece: unknown) => {
    const found = /"tools":(\[.*\])/.exec(String(piece))?.[1] ?? ''
    const names = [...found.matchAll(/\{"name":"(\w+)"/g)].map(([, name]) => name)
    if (names.length > 0) lists.add(names.join(', '))
  }
  const noting = (known: (...args: never[]) => unknown) =>
    function noted(this: ServerResponse, ...args: never[]) {
      note(args[0])
      return known.apply(this, args)
    }
  Object.assign(ServerResponse.prototype, { write: noting(write), end: noting(end) })
  return { lists, stop: () => Object.assign(ServerResponse.prototype, { write, end }) }
}

type Browser = Awaited<ReturnType<typeof openBrowser>>

/** Carries one command of a client out; the one that signs in leads the browser. */
async function takeStep(
  tried: Tried,
  words: readonly string[],
  home: string,
  browser: Browser,
): Promise<void> {
  const [first = '', ...args] = words
  const command = first === process.execPath ? first : join(home, 'node_modules', '.bin', first)
  const env = {
    HOME: home,
    GEMINI_API_KEY: 'none',
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    TERM: 'xterm',
    NO_COLOR: '1',
  }
  const isSignIn = words.join(' ').startsWith(tried.signIn)
  const start = isSignIn ? startAtTerminal : startProgram
  const program = start(command, args, env, home)
  try {
    if (isSignIn) {
      if (tried.asks) {
        await program.says(tried.asks)
        program.child.stdin?.write('y\r')
      }
      await consentInBrowser(browser, await program.says(SIGN_IN_URL), TICKED)
      await program.says(/success|authenticated|authorized|connected|complete/i).catch((error: Error) => {
        // Some end without a word.
        if (program.child.exitCode !== 0) throw error
      })
      // Others ask for their first list after they have said so.
      await Promise.race([program.done(), pause(ENDS_WITHIN_MS, undefined, { ref: false })])
    } else if (words === tried.steps.at(-1)) await program.says(tried.connected)
    else await program.done()
  } finally {
    await program.end()
  }
}

/** Answers which tools the client was listed. */
async function tryClient(tried: Tried, browser: Browser): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'knowtation-client-'))
  const heard = listen()
  try {
    const wanted = `${tried.name}@${tried.version}`
    execFileSync('npm', ['install', '--prefix', home, '--no-audit', '--no-fund', wanted], { stdio: 'ignore' })
    for (const words of tried.steps) await takeStep(tried, words, home, browser)
    return [...heard.lists].join(' and ')
  } finally {
    heard.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

async function tryAll(names: readonly string[]): Promise<number> {
  const { hub } = await startSignInHub()
  const browser = await openBrowser()
  let failed = 0
  for (const tried of CLIENTS(`${hub.url}/mcp`)) {
    if (names.length > 0 && !names.some((name) => tried.name.includes(name))) continue
    const told = await tryClient(tried, browser).then(
      (seen) => {
        if (seen !== SEEN) failed++
        return `connected, and listed: ${seen || 'nothing'}`
      },
      (error: Error) => {
        failed++
        return `not connected: ${error.message.slice(0, 2_000)}`
      },
    )
    process.stdout.write(`${tried.name} ${tried.version}: ${told}\n`)
  }
  await browser.close()
  await hub.close()
  return failed
}

const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true })
if (values.help) process.stdout.write(HELP)
else process.exitCode = await tryAll(positionals)
