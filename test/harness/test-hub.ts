import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pino from 'pino'
import type { FlowBundle } from '../../src/domains/flows/bundle/flow-record.ts'
import { insertFlowVersion } from '../../src/domains/flows/flow-store.ts'
import type { Hub, HubOptions } from '../../src/operations/hub.ts'
import { type Home, homeAt } from '../../src/platform/basics/home.ts'
import { realSystem } from '../../src/platform/basics/system.ts'
import { ROLES, type Role } from '../../src/platform/identity/caller.ts'
import { createToken } from '../../src/platform/identity/token-store.ts'
import { GATE_FLAGS } from '../../src/platform/policy/gates.ts'
import { startHub } from '../../src/surfaces/http/start-hub.ts'
import { freshPostgresUrl } from '../store/postgres-server.ts'
import { type Credentials, JWT_SECRET, signGatewayJwt } from './callers.ts'
import { findReplayFaults } from './replay-records.ts'

export const DATABASES = ['sqlite', 'postgres'] as const
export type DatabaseName = (typeof DATABASES)[number]

/** A time that a test sets; unset it is the real one. */
export interface Clock {
  now?: Date | undefined
}

export interface TestHubOptions {
  database?: DatabaseName
  env?: NodeJS.ProcessEnv
  clock?: Clock
  /** The content of `config.yaml`, and of the vault `default`'s files. */
  config?: object | string
  policy?: object | string
  members?: object | string
  /** A folder of starter flows in place of the shipped ones. */
  starters?: string
}

/** A home in a temporary folder with all a hub is opened with, and what it logged. */
export interface TestHome extends AsyncDisposable {
  readonly options: HubOptions
  readonly home: Home
  readonly logged: string[]
  /** Whether a test turned a gate by the environment, which no record tells. */
  readonly turned: { gate: boolean }
  /** Writes a settings file. JSON is YAML too, so values may be plain objects. */
  write(path: string, content: object | string): void
}

/** A running hub on a loopback port, with a token of each role in its vault `default`. */
export interface TestHub extends TestHome {
  readonly url: string
  readonly hub: Hub
  readonly credentials: Credentials
  close(): Promise<void>
}

/** Makes the home; nothing is opened yet. */
export async function makeTestHome(options: TestHubOptions = {}): Promise<TestHome> {
  const { clock = {}, starters, database = 'sqlite' } = options
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-test-'))
  const env: NodeJS.ProcessEnv = {
    KNOWTATION_JWT_SECRET: JWT_SECRET,
    KNOWTATION_HOME: folder,
    ...options.env,
  }
  if (database === 'postgres') env.KNOWTATION_DATABASE_URL = await freshPostgresUrl()
  const home = homeAt(folder, env)
  const logged: string[] = []
  const turned = { gate: false }
  const log = pino({ level: 'debug', base: null }, { write: (line: string) => void logged.push(line) })
  const system = { ...realSystem, now: () => clock.now ?? new Date() }
  const made: TestHome = {
    options: { home, env: watched(env, turned), system, log, ...(starters && { starters }) },
    home,
    logged,
    turned,
    write: writeSettings,
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }),
  }
  if (options.config) made.write(home.config, options.config)
  if (options.policy) made.write(home.vaultPolicy('default'), options.policy)
  if (options.members) made.write(home.vaultMembers('default'), options.members)
  return made
}

/** What gates go by in the environment. */
const GATE_VARIABLES = [
  ...GATE_FLAGS,
  'FLOW_EXTERNAL_AGENT_FORBIDDEN',
  'FLOW_AUTHORING_FORBIDDEN',
  'FLOW_EXECUTION_FORBIDDEN',
]

/** The environment, with a note of whether a test sets what gates go by. It stays an object that threads can be given. */
function watched(env: NodeJS.ProcessEnv, turned: { gate: boolean }): NodeJS.ProcessEnv {
  for (const name of GATE_VARIABLES) {
    let value = env[name]
    const set = (given: string | undefined) => {
      turned.gate = true
      value = given
    }
    Object.defineProperty(env, name, {
      configurable: true,
      enumerable: value !== undefined,
      get: () => value,
      set,
    })
  }
  return env
}

/** One that was deleted is noticed, too. */
function isTurned({ turned, options: { env } }: Pick<TestHome, 'turned' | 'options'>): boolean {
  return turned.gate || GATE_VARIABLES.some((name) => !Object.getOwnPropertyDescriptor(env, name)?.get)
}

/** Starts a hub as `serve` does, in this process. */
export async function startTestHub(options: TestHubOptions = {}): Promise<TestHub> {
  const made = await makeTestHome(options)
  const running = await startHub({ ...made.options, host: '127.0.0.1', port: 0 })
  const close = async () => {
    // A hub that a test has stopped or broken cannot be asked.
    const faults = isTurned(started) ? [] : await findReplayFaults(running.hub).catch(() => [])
    await running.stop()
    await made[Symbol.asyncDispose]()
    if (faults.length > 0) throw new Error(`Calls that a replay decides otherwise: ${faults.join('; ')}`)
  }
  const credentials = await makeCredentials(running.hub)
  const { url, hub } = running
  const started: TestHub = { ...made, url, hub, credentials, close, [Symbol.asyncDispose]: close }
  return started
}

/** Puts flow versions into a vault, in order. */
export async function storeFlows(hub: Hub, vault_id: string, bundles: readonly FlowBundle[]): Promise<void> {
  await hub.db.transaction(async (tx) => {
    for (const bundle of bundles) await insertFlowVersion(tx, vault_id, bundle, hub.system.now())
  })
}

async function makeCredentials(hub: Hub): Promise<Credentials> {
  const made = await hub.db.transaction(async (tx) => {
    const tokens = []
    for (const role of ROLES) {
      const wanted = { vault_id: 'default', role, label: role, created_by: 'test', expires_at: null }
      tokens.push(await createToken(tx, hub.system, wanted))
    }
    return tokens
  })
  const byRole = <Value>(value: (one: (typeof made)[number]) => Value) =>
    Object.fromEntries(made.map((one) => [one.token.role, value(one)])) as Record<Role, Value>
  return {
    token_ids: byRole(({ token }) => token.token_id),
    bearers: {
      ...byRole(({ bearer }) => bearer),
      anonymous: undefined,
      local: undefined,
      owner: undefined,
      hub: readFileSync(hub.home.hubToken, 'utf8').trim(),
      gateway: await signGatewayJwt(),
    },
  }
}

function writeSettings(path: string, content: object | string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
}
