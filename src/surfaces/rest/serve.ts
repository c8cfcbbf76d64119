import pino from 'pino'
import { type Home, homeAt } from '../../platform/basics/home.ts'
import { realSystem } from '../../platform/basics/system.ts'
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

/** Runs the hub until it is told to stop. */
export async function serveHub(options: ServeOptions): Promise<void> {
  const { env, host = DEFAULT_HOST, port = DEFAULT_PORT } = options
  const home = homeAt(options.home, env)
  const log = pino(
    { level: env.KNOWTATION_LOG_LEVEL ?? 'info', base: null },
    pino.destination({ dest: 2, sync: false }),
  )
  const running = await startHub({ home, env, system: realSystem, log, host, port })
  process.stdout.write(options.log === 'json' ? readyLine(running) : renderWelcome(running, home))
  await signalled()
  log.info({}, 'stopping')
  await running.stop()
}

function readyLine({ url }: RunningHub): string {
  return `${JSON.stringify({ event: 'ready', url })}\n`
}

function renderWelcome({ url }: RunningHub, home: Home): string {
  return [
    '',
    `  Knowtation is running.   Ctrl-C stops it.`,
    '',
    `  Page      ${url}/`,
    `  MCP       ${url}/mcp`,
    `  REST      ${url}/api/v1/flows`,
    `  OpenAPI   ${url}/openapi.json`,
    '',
    `  Home      ${home.folder}`,
    `  Sign in   curl -H "Authorization: Bearer $(cat ${home.hubToken})" ${url}/api/v1/flows`,
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
