import type { AuditListOutput } from '../../../../domains/admin/audit-list.ts'
import type { Hub } from '../../../../operations/hub.ts'
import { runOperation } from '../../../../operations/run-operation.ts'
import { printable } from '../../../../platform/basics/printable.ts'
import { localCaller } from '../../../../platform/identity/caller.ts'
import { CommandFailure } from '../../cli-errors.ts'
import type { Invocation } from '../../command.ts'
import { readAnswer } from '../../hub/parse-answer.ts'
import { toolsOfConsent } from './tools-of-consent.ts'

const LOOK_SECONDS = 20
const PAGE = 200
/** What the hub does for a client when it gets a token is no call of the client's. */
const RENEWAL = 'flow_consent_grant'

/** Waits until a program that has signed in calls for the first time, and says what it sees. */
export async function waitForClient(hub: Hub, invocation: Invocation, wait_seconds: number): Promise<number> {
  const { io, globals } = invocation
  if (!globals.json)
    io.stderr.write('Waiting for it to sign in; Ctrl-C ends the wait, what was written stays.\n')
  const until = performance.now() + wait_seconds * 1_000
  let after_seq = (await listAudit(hub, invocation, { limit: 1 }))[0]?.seq ?? 0
  for (;;) {
    const left = Math.ceil((until - performance.now()) / 1_000)
    if (left <= 0) throw nobodyCame()
    // These looks are on record too, and would end each other's wait at once.
    const wait = { after_seq, wait_seconds: Math.min(left, LOOK_SECONDS), limit: PAGE, hide_own_reads: true }
    const records = await listAudit(hub, invocation, wait)
    const called = records.findLast(
      ({ caller_kind, surface, operation }) =>
        caller_kind === 'mcp_client' && surface === 'mcp' && operation !== RENEWAL,
    )
    if (called) return tellTools(hub, invocation, String(called.caller_id))
    after_seq = Number(records[0]?.seq ?? after_seq)
  }
}

async function listAudit(hub: Hub, { globals }: Invocation, input: object) {
  const operation = await hub.findOperation('audit_list')
  if (!operation) throw new Error('The operation audit_list is missing.')
  const caller = localCaller('knowtation')
  const call = { operation, surface: 'cli', caller, address: 'local', vault: globals.vault, input } as const
  return readAnswer<typeof AuditListOutput>(await runOperation(hub, call)).records
}

async function tellTools(hub: Hub, { io, globals }: Invocation, consent_id: string): Promise<number> {
  const { tools, filters } = await toolsOfConsent(hub, consent_id)
  const why = filters.map(({ filter, before, after }) => `${filter}: ${after} of ${before}`).join('; ')
  if (globals.json) io.stdout.write(`${JSON.stringify({ connected: true, consent_id, tools, filters })}\n`)
  else if (tools.length > 0) io.stdout.write(`${printable(`connected: ${tools.join(', ')}`)}\n`)
  else io.stdout.write(`${printable(`connected, and it sees no tools (${why})`)}\n`)
  return 0
}

function nobodyCame(): CommandFailure {
  return new CommandFailure(
    'NOT_CONNECTED',
    'No client has signed in within the time.',
    'The settings are written: sign in from the client, then look at `knowtation consent list`.',
  )
}
