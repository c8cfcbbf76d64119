import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { homeAt } from '../src/platform/basics/home.ts'
import { plainLog } from '../src/platform/basics/plain-log.ts'
import { realSystem } from '../src/platform/basics/system.ts'
import { createSession } from '../src/platform/identity/seat-store.ts'
import { startHub } from '../src/surfaces/http/start-hub.ts'
import {
  createAgentToken,
  GRANT_FLOW,
  MINT_BODY,
  MINT_PATH,
  makeGrantHome,
  mintGrant,
  TOOL,
} from './grant-home.ts'
import { temporaryFolder } from './hub-process.ts'
import { openSession, renderToolCall } from './mcp-session.ts'

/*
 * Tells how many files of `src` one warm call visits: those in which a function ran from the arrival of the request to
 * its answer. Each call is made a few times first, so that nothing is loaded or opened any more. With `--names` it
 * lists them.
 */

const ROOT = resolve(import.meta.dirname, '..')
const SOURCES = join(ROOT, 'src')
const WARM_CALLS = 5
/** Timers visit files too, so the call that visits the fewest is told. */
const MEASURED_CALLS = 9
const EVERYTHING = join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js')

const inspector = new Session()
inspector.connect()
await inspector.post('Profiler.enable')

/** The files of the project in which a function has run since the last look. */
async function visited(): Promise<string[]> {
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  return result
    .filter(({ url }) => url.startsWith('file:'))
    .map(({ url, functions }) => ({ path: fileURLToPath(url), functions }))
    .filter(({ path }) => path.startsWith(SOURCES))
    .filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)))
    .map(({ path }) => relative(SOURCES, path))
    .toSorted()
}

async function tell(name: string, call: () => Promise<Response>): Promise<void> {
  const once = async () => {
    const answer = await call()
    const text = await answer.text()
    if (!answer.ok || /"isError":true|"error":/.test(text)) throw new Error(`${name} answered ${text}`)
  }
  for (let at = 0; at < WARM_CALLS; at++) await once()
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const visits: string[][] = []
  for (let at = 0; at < MEASURED_CALLS; at++) {
    await visited()
    await once()
    visits.push(await visited())
  }
  await inspector.post('Profiler.stopPreciseCoverage')
  const files = visits.reduce((least, one) => (one.length < least.length ? one : least))
  console.log(`${name}: ${files.length} files`)
  if (process.argv.includes('--names')) console.log(files.map((file) => `  ${file}`).join('\n'))
}

const folder = temporaryFolder()
const [place, project] = ['home', 'project'].map((name) => join(realpathSync(folder.folder), name)) as [
  string,
  string,
]
mkdirSync(project, { recursive: true })
writeFileSync(join(project, 'note.txt'), 'one 0\n')
const provider = { kind: 'mcp', command: [process.execPath, EVERYTHING, 'stdio'], tool: 'echo' }
await makeGrantHome(place, { input_schema: { type: 'object' }, provider })
const log = plainLog((line) => process.stderr.write(line), realSystem.now)
const home = homeAt(place, {})
const running = await startHub({
  home,
  env: process.env,
  system: realSystem,
  log,
  host: '127.0.0.1',
  port: 0,
})
try {
  const { hub, url } = running
  const owner = { url, token: readFileSync(home.hubToken, 'utf8').trim() } as Parameters<typeof mintGrant>[0]
  const token = await createAgentToken(owner)
  const { bearer } = await hub.db.transaction((tx) =>
    createSession(tx, realSystem, {
      vault_id: 'default',
      role: 'dev',
      project_root: project,
      service_root: project,
      isolation_level: null,
      allowed_commands: null,
      created_by: 'local:local',
      expires_at: new Date(Date.now() + 600_000).toISOString(),
    }),
  )
  const agent = { authorization: `Bearer ${token}` }
  const json = { 'content-type': 'application/json' }
  await tell('REST flow_get', () => fetch(`${url}/api/v1/flows/${GRANT_FLOW.flow_id}`, { headers: agent }))
  const minting = { ...json, authorization: `Bearer ${owner.token}` }
  const mint = { method: 'POST', headers: minting, body: JSON.stringify(MINT_BODY) }
  await tell('grant mint', () => fetch(`${url}${MINT_PATH}`, mint))
  const holder = await openSession(url, { ...agent, 'x-flow-external-bearer': await mintGrant(owner) })
  const granted = { method: 'POST', headers: holder, body: renderToolCall(1, TOOL, { message: 'again' }) }
  await tell('granted MCP call', () => fetch(`${url}/mcp`, granted))
  let turn = 0
  const seat = { ...json, authorization: `Bearer ${bearer}` }
  await tell('edit_file', () => {
    const edits = [{ operation: 'replace', spec: `one ${turn}`, content: `one ${++turn}` }]
    const body = JSON.stringify({ path: 'note.txt', edits })
    return fetch(`${url}/api/v1/tools/edit_file`, { method: 'POST', headers: seat, body })
  })
} finally {
  await running.stop()
  inspector.disconnect()
  folder.remove()
}
