import { z } from 'zod'
import { isJsonSafe, lineageSet, stableJson } from '../../../boundary/index.ts'
import { vaultMember } from '../../../operations/authority.ts'
import { type Context, defineOperation } from '../../../operations/define-operation.ts'
import { boundaryErrors } from '../boundary-errors.ts'
import { LedgerId, RobotId, TenantId } from '../plain-id.ts'
import { appendEntries, type NewEntry } from './append-entries.ts'
import { LedgerEntry, type LedgerRow, ledgerTarget, toLedgerEntry } from './ledger-record.ts'
import { findEntry } from './ledger-store.ts'
import { lockChain } from './lock-chain.ts'

const LINEAGE_LIMIT = 1_000
const Word = z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/)

const errors = boundaryErrors.pick('MISSING_LINEAGE', 'IDEMPOTENCY_CONFLICT')

const input = z.strictObject({
  tenant_id: TenantId,
  robot_id: RobotId.optional().describe('The robot that the entry is about'),
  ledger_id: LedgerId.optional().describe(
    'An id of your own; adding the same entry again then changes nothing',
  ),
  source: Word.describe('Where it comes from, a word such as crm or analytics'),
  type: Word.refine((type) => type !== 'execution_event').describe('What it is, a word such as signal'),
  payload: z
    .record(z.string(), z.unknown())
    .refine(isJsonSafe, 'holds a value that JSON does not carry')
    .describe('The entry itself'),
  depends_on: z.array(LedgerId).max(LINEAGE_LIMIT).optional().describe('The entries it was made from'),
})

type Appending = Context<z.output<typeof input>, keyof typeof errors, 'create'>

export const LedgerAppendOutput = z.strictObject({
  schema: z.literal('knowtation.ledger_append/v0'),
  vault_id: z.string(),
  idempotent: z.boolean(),
  entry: LedgerEntry,
})

export const ledgerAppend = defineOperation({
  name: 'ledger_append',
  summary:
    'Add an entry of your own to the ledger of a tenant, for executions to rest on. It stays for good.',
  effect: 'create',
  authority: vaultMember('write'),
  rest: 'POST /api/v1/ledger/entries',
  cli: 'ledger append',
  errors,
  made: ({ entry }) => ledgerTarget(entry.id) ?? { kind: 'ledger_entry', id: `seq ${entry.seq}` },
  input,
  output: LedgerAppendOutput,
  present: async () => (await import('./present-ledger.ts')).presentLedgerEntry,
  async handle(context) {
    const { vault_id, db, hub, now } = context
    const chain = { vault_id, tenant_id: context.input.tenant_id }
    await lockChain(db, hub, chain)
    const wanted = entryOf(context)
    const known = await findSame(context, wanted)
    await requireSources(context)
    const row = known ?? ((await appendEntries(db, hub, chain, [wanted], now))[0] as LedgerRow)
    return {
      schema: 'knowtation.ledger_append/v0' as const,
      vault_id,
      idempotent: known !== undefined,
      entry: toLedgerEntry(row),
    }
  },
})

/** What people add is of the module `host`: it can never look like something that an engine made. */
function entryOf({ input: given }: Appending): NewEntry {
  return {
    ...(given.ledger_id !== undefined && { id: given.ledger_id }),
    robot_id: given.robot_id ?? null,
    module: 'host',
    source: given.source,
    type: given.type,
    state: 'recorded',
    payload: given.payload,
    depends_on: given.depends_on ?? [],
    execution_id: null,
    event_key: null,
  }
}

async function findSame({ input: given, vault_id, db, refuse }: Appending, wanted: NewEntry) {
  const known = wanted.id === undefined ? undefined : await findEntry(db, vault_id, wanted.id)
  if (!known) return undefined
  const isSame =
    known.tenant_id === given.tenant_id &&
    known.robot_id === wanted.robot_id &&
    known.module === wanted.module &&
    known.source === wanted.source &&
    known.type === wanted.type &&
    known.depends_on_json === JSON.stringify(lineageSet(wanted.depends_on)) &&
    stableJson(JSON.parse(known.payload_json)) === stableJson(wanted.payload)
  return isSame ? known : refuse('IDEMPOTENCY_CONFLICT')
}

async function requireSources({ input: given, vault_id, db, refuse }: Appending): Promise<void> {
  for (const id of given.depends_on ?? []) {
    const source = await findEntry(db, vault_id, id)
    if (source?.tenant_id !== given.tenant_id) refuse('MISSING_LINEAGE')
  }
}
