import pino from 'pino'
import { ownerLinkCreate } from '../../domains/control/owner/link-create.ts'
import { runOperation } from '../../operations/run-operation.ts'
import { compileSooner } from '../../platform/basics/compile-sooner.ts'
import { type Home, homeAt } from '../../platform/basics/home.ts'
import { realSystem } from '../../platform/basics/system.ts'
import { localCaller } from '../../platform/identity/caller.ts'
import { findOwner } from '../../platform/identity/owner-account.ts'
import { type RunningHub, startHub } from './start-hub.ts'

export interface ServeOptions {
  home?: string | undefined
  host?: string | undefined
  port?: number | undefined
  log?: 'json' | 'text' | undefined
  env: NodeJS.ProcessEnv
}

const DEFAULT_HOST = '127.0.0.1'
const DEFAULT_PORT = 4747
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/

/** Runs the hub until it is told to stop. */
export async function serveHub(options: ServeOptions): Promise<void> {
  const { env, host = DEFAULT_HOST, port = DEFAULT_PORT } = options
  const home = homeAt(options.home, env)
  const log = pino(
    { level: env.KNOWTATION_LOG_LEVEL ?? 'info', base: null },
    pino.destination({ dest: 2, sync: false }),
  )
  const running = await startHub({ home, env, system: realSystem, log, host, port })
  try {
    const isJson = options.log === 'json'
    process.stdout.write(
      isJson ? readyLine(running) : renderWelcome(running, host, home, await howToSignIn(running)),
    )
    compileSooner()
    await signalled()
    log.info({}, 'stopping')
  } finally {
    await running.stop()
  }
}

function readyLine({ url }: RunningHub): string {
  return `${JSON.stringify({ event: 'ready', url })}\n`
}

/** On the first start a one-time link; it never goes where programs collect what is printed. */
async function howToSignIn({ hub }: RunningHub): Promise<string> {
  if (await findOwner(hub.db)) return 'npx knowtation owner login'
  const caller = localCaller('knowtation')
  const call = { operation: ownerLinkCreate, surface: 'cli', caller, address: 'local' } as const
  const { ok, text } = await runOperation(hub, { ...call, vault: undefined, input: {} })
  return ok ? (JSON.parse(text) as { url: string }).url : 'npx knowtation owner login'
}

/** What a person sees at the start, addresses first. */
export function renderWelcome(
  { url }: Pick<RunningHub, 'url'>,
  host: string,
  home: Home,
  signIn: string,
): string {
  return [
    '',
    `  Knowtation is running.   Ctrl-C stops it.`,
    '',
    `  Page      ${url}/`,
    `  MCP       ${url}/mcp`,
    `  REST      ${url}/api/v1/flows`,
    `  OpenAPI   ${url}/openapi.json`,
    ...(LOOPBACK.test(host)
      ? []
      : [`  Open to   whoever reaches ${host}: other machines too, over plain HTTP`]),
    '',
    `  Home      ${home.folder}`,
    `  Sign in   ${signIn}`,
    `  Programs  curl -H "Authorization: Bearer $(cat ${home.hubToken})" ${url}/api/v1/flows`,
    `  Connect   npx knowtation mcp config --client claude-code --url ${url}/mcp`,
    '',
    '',
  ].join('\n')
}

function signalled(): Promise<unknown> {
  return new Promise((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
}
