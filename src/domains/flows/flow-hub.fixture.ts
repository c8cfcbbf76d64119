import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import type { Operation, Presented, Surface } from '../../operations/define-operation.ts'
import { type Hub, openHub } from '../../operations/hub.ts'
import { type Answer, runOperation } from '../../operations/run-operation.ts'
import type { AuditRecord } from '../../platform/audit/audit-record.ts'
import { homeAt } from '../../platform/basics/home.ts'
import { type Caller, localCaller, ownerSessionCaller, type Role } from '../../platform/identity/caller.ts'
import { sql } from '../../platform/storage/database.ts'
import { flowOperations } from './index.ts'

/** A JSON document as a test looks into it. */
export type Json = any

export interface Said {
  status: number
  code: string | null
  text: string
  body: Json
}

export interface Ask {
  /** A role, or a named credential with one: `editor`, `admin/ann`; `local` at the home, or the `owner` signed in. */
  as?: string
  vault?: string
  surface?: Surface
  presented?: Presented
}

/** A hub on a home of its own, called as different people on different surfaces. */
export interface FlowHub {
  readonly hub: Hub
  /** Calls an operation; each call moves the clock on by a second. */
  ask(name: string, input: Record<string, unknown>, how?: Ask): Promise<Said>
  /** Makes many calls that are really under way together: a first connection would come too late. */
  atOnce(calls: readonly (() => Promise<Said>)[]): Promise<Said[]>
  setPolicy(policy: object, vault?: string): void
  setMembers(members: object, vault?: string): void
  setEnv(name: string, value: string | undefined): void
  /** The audit records so far, oldest first. */
  records(): Promise<(AuditRecord & { seq: number })[]>
  close(): Promise<void>
}

const START = Date.parse('2026-11-15T08:00:00Z')
const allRecords = sql<AuditRecord & { seq: number }>('SELECT * FROM audit_records ORDER BY seq')

const pause = sql<{ one: number }>('SELECT 1 AS one')
const ignore = () => {}
const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore }

/** Authoring and runs on, nothing listed. */
export const OPEN_POLICY = { flow_authoring: { writes_enabled: true }, flow_runs: { writes_enabled: true } }

/** Nobody lets their own work pass with a token, so that somebody else judges where nobody is named. */
const JUDGING = ['proposal_approve', 'proposal_evaluate', 'flow_run_submit_review']

export async function openFlowHub(database_url?: string): Promise<FlowHub> {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-flows-'))
  const env: NodeJS.ProcessEnv = { ...(database_url && { KNOWTATION_DATABASE_URL: database_url }) }
  const home = homeAt(folder, env)
  let [seconds, drawn] = [0, 0]
  const system = {
    now: () => new Date(START + seconds * 1_000),
    random: (bytes: number) => (++drawn).toString(16).padStart(bytes * 2, '0'),
  }
  const hub = await openHub({ home, env, system, log: SILENT })
  const fixture: FlowHub = {
    hub,
    async ask(name, input, how = {}) {
      seconds++
      const operation = requireOperation(name)
      const {
        as = JUDGING.includes(name) ? 'admin/reviewer' : 'admin',
        vault,
        surface = 'rest',
        presented,
      } = how
      const call = { operation, surface, caller: callerNamed(as), address: '127.0.0.1', vault, input }
      return said(await runOperation(hub, { ...call, ...(presented && { presented }) }))
    },
    async atOnce(calls) {
      await Promise.all(calls.map(() => hub.db.transaction((tx) => tx.all(pause))))
      return Promise.all(calls.map((call) => call()))
    },
    setPolicy: (policy, vault = 'default') => write(home.vaultPolicy(vault), policy),
    setMembers: (members, vault = 'default') => write(home.vaultMembers(vault), members),
    setEnv(name, value) {
      if (value === undefined) delete env[name]
      else env[name] = value
    },
    records: () => hub.db.all(allRecords),
    async close() {
      await hub.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  fixture.setPolicy(OPEN_POLICY)
  return fixture
}

function write(file: string, content: object): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, stringify(content))
}

function requireOperation(name: string): Operation {
  const found = flowOperations.find((operation) => operation.name === name)
  if (!found) throw new Error(`There is no operation ${name}.`)
  return found
}

function callerNamed(as: string): Caller {
  if (as === 'local') return localCaller('test')
  if (as === 'owner') return ownerSessionCaller('oses_0000000000000000', 'test')
  const [role, name = role] = as.split('/')
  return { kind: 'token', id: `tok_${name}`, role: role as Role, vaults: '*', client: 'test' }
}

function said({ status, code, text }: Answer): Said {
  return { status, code, text, body: JSON.parse(text) }
}
