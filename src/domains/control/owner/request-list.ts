import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { findOauthRecord, listWaitingSignIns } from '../../../platform/identity/mcp/oauth-records.ts'
import { listWaitingDevices } from '../../../platform/identity/owner-device-grants.ts'
import type { Reader } from '../../../platform/storage/database.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'

const LIST_LIMIT = 50

const Waiting = z
  .strictObject({
    object: z.literal('owner_request'),
    request_id: z.string(),
    way: z
      .enum(['code', 'browser'])
      .describe('Whether it shows a code, or has opened a page in your browser'),
    asks_for: z.enum(['owner', 'mcp']).describe('To act for you at your sources, or to come in at MCP'),
    client_id: z.string(),
    client_name: z.string().describe('What the program calls itself: nobody vouches for it'),
    created_at: z.string(),
    expires_at: z.string(),
  })
  .meta({ id: 'OwnerRequest' })

export const OwnerRequestListOutput = z.strictObject({
  object: z.literal('list'),
  data: z.array(Waiting),
  truncated: z.boolean(),
})

export const ownerRequestList = defineOwnerOperation({
  name: 'owner_request_list',
  summary: 'List the programs that wait to be let in, the newest first. Their codes are with them alone.',
  effect: 'read',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'GET /v1/owner/requests',
  cli: 'owner request list',
  errors: {},
  input: z.strictObject({}),
  output: OwnerRequestListOutput,
  present: async () => (await import('./present-owner.ts')).presentOwnerRequests,
  async handle({ db, now }) {
    const found = [...(await waitingWithCodes(db, now)), ...(await waitingInBrowsers(db, now))]
    const data = found.toSorted((one, other) => other.created_at.localeCompare(one.created_at))
    return { object: 'list' as const, data: data.slice(0, LIST_LIMIT), truncated: data.length > LIST_LIMIT }
  },
})

async function waitingWithCodes(db: Reader, now: Date): Promise<z.output<typeof Waiting>[]> {
  const found = await listWaitingDevices(db, now, LIST_LIMIT + 1)
  return found.map(({ grant_id, state, client_id, client_name, created_at, expires_at }) => ({
    object: 'owner_request',
    request_id: grant_id,
    way: 'code',
    asks_for: state === 'mcp_pending' ? 'mcp' : 'owner',
    client_id,
    client_name,
    created_at,
    expires_at,
  }))
}

/** Of a sign-in only the hash of its id is kept: its page is in the browser that the program opened. */
async function waitingInBrowsers(db: Reader, now: Date): Promise<z.output<typeof Waiting>[]> {
  const found = await listWaitingSignIns(db, now, LIST_LIMIT + 1)
  return Promise.all(
    found.map(async ({ record_hash, client_id, created_at, expires_at }) => ({
      object: 'owner_request' as const,
      request_id: `sign_in_${record_hash.slice(0, 16)}`,
      way: 'browser' as const,
      asks_for: 'mcp' as const,
      client_id,
      client_name: await nameOf(db, client_id, now),
      created_at,
      expires_at,
    })),
  )
}

async function nameOf(db: Reader, client_id: string, now: Date): Promise<string> {
  const client = await findOauthRecord(db, 'Client', client_id, now)
  const { client_name } = JSON.parse(client?.payload_json ?? '{}') as { client_name?: unknown }
  return typeof client_name === 'string' ? client_name : client_id
}
