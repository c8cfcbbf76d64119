import pino from 'pino'
import { ownerLinkCreate } from '../../domains/control/owner/link-create.ts'
import { runOperation } from '../../operations/run-operation.ts'
import { type Home, homeAt } from '../../platform/basics/home.ts'
import { typedName } from '../../platform/basics/package-folder.ts'
import { printable, spellDeceiving } from '../../platform/basics/printable.ts'
import { realSystem } from '../../platform/basics/system.ts'
import { localCaller } from '../../platform/identity/caller.ts'
import { findOwner } from '../../platform/identity/owner-account.ts'
import { type Leave, STOP_LIMIT_MS } from './readiness.ts'
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
const DEFAULT_NOTICE_SECONDS = 0.25
const NOTICE_LIMIT_SECONDS = 60
const KEPT_MS = 500
const PARENT_LOOK_MS = 500
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/

/** Runs the hub until it is told to stop. */
export async function serveHub(options: ServeOptions): Promise<void> {
  const { env, host = DEFAULT_HOST, port = DEFAULT_PORT } = options
  const home = homeAt(options.home, env)
  // An npm that is killed while the hub starts is missed, too.
  const parent = process.ppid
  const log = pino(
    { level: env.KNOWTATION_LOG_LEVEL ?? 'info', base: null, hooks: { streamWrite: spellDeceiving } },
    pino.destination({ dest: 2, sync: false }),
  )
  const running = await startHub({ home, env, system: realSystem, log, host, port })
  try {
    // Whoever reads that the hub is ready may tell it to stop in the same moment.
    const told = toldToStop(env, parent)
    const isJson = options.log === 'json'
    process.stdout.write(
      isJson ? readyLine(running) : printable(renderWelcome(running, host, home, await howToSignIn(running))),
    )
    const why = await told
    running.hub.log.info({ why, calls_end_within_seconds: STOP_LIMIT_MS / 1_000 }, 'stopping')
    await running.stop(leaveOf(env))
  } finally {
    await running.stop()
  }
}

function readyLine({ url }: RunningHub): string {
  return `${JSON.stringify({ event: 'ready', url })}\n`
}

/** On the first start a one-time link; it never goes where programs collect what is printed. */
async function howToSignIn({ hub }: RunningHub): Promise<string> {
  if (await findOwner(hub.db)) return `${typedName()} owner login`
  const caller = localCaller('knowtation')
  const call = { operation: ownerLinkCreate, surface: 'cli', caller, address: 'local' } as const
  const { ok, text } = await runOperation(hub, { ...call, vault: undefined, input: {} })
  return ok ? (JSON.parse(text) as { url: string }).url : `${typedName()} owner login`
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
    `  Connect   ${typedName()} mcp config --client claude-code --url ${url}/mcp`,
    '',
    '',
  ].join('\n')
}

/** How long whoever watches the hub is given to see that it stops. */
function leaveOf(env: NodeJS.ProcessEnv): Leave {
  const seconds = Number(env.KNOWTATION_STOP_NOTICE_SECONDS ?? DEFAULT_NOTICE_SECONDS)
  const isGood = seconds >= 0 && seconds <= NOTICE_LIMIT_SECONDS
  return { notice_ms: 1_000 * (isGood ? seconds : DEFAULT_NOTICE_SECONDS), kept_ms: KEPT_MS }
}

/** Resolves with a signal, or when the npm that started the hub is gone and nobody is left to send one. */
function toldToStop(env: NodeJS.ProcessEnv, parent: number): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => resolve(signal))
    if (env.npm_lifecycle_event === undefined) return
    const look = setInterval(() => {
      if (process.ppid === parent) return
      clearInterval(look)
      resolve('npm has ended')
    }, PARENT_LOOK_MS)
    look.unref()
  })
}
