import { type IncomingHttpHeaders, request } from 'node:http'
import type { AuditRecord } from '../../src/platform/audit/audit-record.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { startHub } from '../../src/surfaces/http/start-hub.ts'
import { makeTestHome, startTestHub, type TestHub, type TestHubOptions } from '../harness/test-hub.ts'

/** A hub on which a test may fail to sign in as often as it likes. */
export function startRestHub(options: TestHubOptions = {}): Promise<TestHub> {
  const config = { rate_limits: { failed_authentications_per_minute: 1_000_000 } }
  return startTestHub({ config, ...options })
}

/** The text of the error that stops a hub with these settings from starting. */
export async function startFault(options: TestHubOptions, { port = 0 } = {}): Promise<string> {
  await using made = await makeTestHome(options)
  try {
    const running = await startHub({ ...made.options, host: '127.0.0.1', port })
    await running.stop()
    return 'It started.'
  } catch (error) {
    return (error as Error).message
  }
}

export interface Sent {
  method?: string
  path: string
  bearer?: string | undefined
  headers?: Record<string, string | string[]>
  body?: string | Buffer
  /** The address of this machine that the request comes from. */
  from?: string
}

export interface Received {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** One HTTP request, headers exactly as given (fetch would not let a test choose Host or Origin). */
export function send(url: string, sending: Sent): Promise<Received> {
  const { method = 'GET', path, bearer, headers, body, from } = sending
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  const identity = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const all = { connection: 'close', ...json, ...identity, ...headers }
    const place = { hostname, port, ...(from !== undefined && { localAddress: from }) }
    const sent = request({ ...place, method, path, headers: all, agent: false }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(parts).toString(),
        }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The code of a refusal's body, in the hub's own form or as a tool's result. */
export function codeOf({ text }: { text: string }): string {
  const body = JSON.parse(text) as { code?: string; error: { code: string } }
  return body.code ?? body.error.code
}

const readRecords = sql<AuditRecord & { seq: number }>('SELECT * FROM audit_records ORDER BY seq')

/** Every audit record so far, counted refusals included. */
export async function auditRecords({ hub }: TestHub): Promise<(AuditRecord & { seq: number })[]> {
  await hub.refusals.flushAll()
  return hub.db.all(readRecords)
}

/**
 * What an act added to the audit log, and what it answered. What seals an event of the owner's stands beside
 * the record of the call itself, and is left out.
 */
export async function recorded<Result>(
  hub: TestHub,
  act: () => Promise<Result>,
): Promise<{ result: Result; records: AuditRecord[] }> {
  const before = (await auditRecords(hub)).at(-1)?.seq ?? 0
  const result = await act()
  const records = (await auditRecords(hub)).filter(({ seq }) => seq > before)
  return {
    result,
    records: records.filter((one) => one.surface !== 'hub' && one.target_kind !== 'owner_event'),
  }
}
