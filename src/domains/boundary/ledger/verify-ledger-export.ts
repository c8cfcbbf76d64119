import { z } from 'zod'
import { publicAuditKey } from '../../../platform/audit/audit-key.ts'
import { LedgerFault } from './ledger-fault.ts'
import { GENESIS_HASH } from './ledger-record.ts'
import { exportKeyPrefix } from './render-ledger-export.ts'
import { checkEntry } from './verify-ledger.ts'

/** What a file of exported lines turned out to be. */
export interface LedgerExportReport {
  intact: boolean
  tenant_id: string | null
  entries: number
  /** Whether the file begins with the chain's first entry. */
  anchored: boolean
  public_key: string | null
  fault: string | null
}

const LINE_LIMIT = 16_777_216
const LINE_COUNT_LIMIT = 3_000_000

const Text = z.string()
const Seq = z.int().nonnegative()
const Hash = z.string().regex(/^[0-9a-f]{64}$/)
const bounds = { key_id: Text, exported_at: Text, from_seq: Seq, previous_hash: Hash }
const Start = z.strictObject({
  kind: z.literal('ledger'),
  format: z.literal(1),
  vault_id: Text,
  tenant_id: Text,
  public_key: Text,
  ...bounds,
})
const Entry = z.strictObject({
  kind: z.literal('entry'),
  seq: Seq,
  id: Text,
  robot_id: Text.nullable(),
  module: Text,
  source: Text,
  type: Text,
  state: Text,
  payload_json: Text,
  depends_on_json: Text,
  execution_id: Text.nullable(),
  event_key: Text.nullable(),
  created_at: Text,
  hash: Hash,
})
const End = z.strictObject({
  kind: z.literal('end'),
  ...bounds,
  seq: Seq,
  hash: Hash,
  records: Seq,
  signature: Text,
})
const Line = z.discriminatedUnion('kind', [Start, Entry, End])
type Line = z.infer<typeof Line>

interface Walk {
  start: z.infer<typeof Start> | undefined
  place: { seq: number; hash: string }
  records: number
}

/** Checks exported lines without the hub, by the public key in them or by a trusted one. Pages may follow each other. */
export async function verifyLedgerExport(
  lines: Iterable<string> | AsyncIterable<string>,
  trusted_public_key?: string,
): Promise<LedgerExportReport> {
  const report: LedgerExportReport = {
    intact: true,
    tenant_id: null,
    entries: 0,
    anchored: false,
    public_key: null,
    fault: null,
  }
  try {
    await walkLines(lines, trusted_public_key, report)
    return report
  } catch (error) {
    if (!(error instanceof LedgerFault)) throw error
    return { ...report, intact: false, fault: error.message }
  }
}

async function walkLines(
  lines: Iterable<string> | AsyncIterable<string>,
  trusted: string | undefined,
  report: LedgerExportReport,
): Promise<void> {
  const walk: Walk = { start: undefined, place: { seq: 0, hash: GENESIS_HASH }, records: 0 }
  let count = 0
  let ended = false
  for await (const text of lines) {
    if (text === '') continue
    if (++count > LINE_COUNT_LIMIT) throw new LedgerFault('The file has too many lines.')
    ended = takeLine(walk, parseLine(text, count), trusted, report)
  }
  if (!ended) throw new LedgerFault('The file is cut: its closing line is missing.')
}

function parseLine(text: string, number: number): Line {
  try {
    if (text.length > LINE_LIMIT) throw new Error('too long')
    return Line.parse(JSON.parse(text))
  } catch {
    throw new LedgerFault(`Line ${number} is not a line of an export.`)
  }
}

/** Takes a line in; answers whether the file may end here. */
function takeLine(walk: Walk, line: Line, trusted: string | undefined, report: LedgerExportReport): boolean {
  if (line.kind === 'ledger') takeStart(walk, line, trusted, report)
  else if (!walk.start) throw new LedgerFault('The file does not begin with its opening line.')
  else if (line.kind === 'entry') {
    const { kind: _, ...row } = line
    const { vault_id, tenant_id } = walk.start
    walk.place = checkEntry({ vault_id, tenant_id, ...row }, walk.place)
    walk.records++
    report.entries++
  } else takeEnd(walk, walk.start, line)
  return line.kind === 'end'
}

function takeStart(
  walk: Walk,
  line: z.infer<typeof Start>,
  trusted: string | undefined,
  report: LedgerExportReport,
): void {
  const place = { seq: line.from_seq - 1, hash: line.previous_hash }
  const isFirst = report.tenant_id === null
  if (walk.start) throw new LedgerFault('The file has two opening lines in a row.')
  if (
    !isFirst &&
    (place.seq !== walk.place.seq || place.hash !== walk.place.hash || line.tenant_id !== report.tenant_id)
  )
    throw new LedgerFault('A page does not follow the one before it.')
  if ((trusted ?? report.public_key ?? line.public_key).trim() !== line.public_key.trim())
    throw new LedgerFault('The file names another key than the trusted one.')
  // A page without entries has nothing else that ties it to its chain.
  if (!line.key_id.startsWith(exportKeyPrefix(line.vault_id, line.tenant_id)))
    throw new LedgerFault('The file was signed for another chain than the one it names.')
  if (isFirst) report.anchored = place.seq === 0 && place.hash === GENESIS_HASH
  report.public_key = line.public_key
  report.tenant_id = line.tenant_id
  Object.assign(walk, { start: line, place, records: 0 })
}

function takeEnd(walk: Walk, start: z.infer<typeof Start>, line: z.infer<typeof End>): void {
  const { key_id, exported_at, from_seq, previous_hash } = start
  const { seq, hash } = walk.place
  const body = {
    key_id,
    exported_at,
    from_seq,
    previous_hash,
    seq,
    hash,
    records: walk.records,
    checkpoints: 0,
  }
  // What the line itself says has to be what was found: the signature covers one text only.
  if (![body, { ...line, checkpoints: 0 }].every((one) => isSigned(start.public_key, one, line.signature)))
    throw new LedgerFault('The closing line does not vouch for what is in the file.')
  walk.start = undefined
}

function isSigned(
  public_key: string,
  body: Parameters<ReturnType<typeof publicAuditKey>['isExport']>[0],
  signature: string,
): boolean {
  try {
    return publicAuditKey(public_key).isExport(body, signature)
  } catch {
    return false
  }
}
