import { z } from 'zod'
import { type ExportBody, publicAuditKey } from './audit-key.ts'
import { GENESIS_HASH } from './audit-record.ts'
import { ChainFault, checkCheckpoint, checkRecord, type Place } from './verify-chain.ts'

/** What checking an exported file found. */
export interface ExportReport {
  intact: boolean
  records: number
  first_seq: number
  last_seq: number
  checkpoints: number
  fault: string | null
  /** Who signed it: whoever reads the report compares this with the hub's own public key. */
  public_key: string | null
  /** Whether a signature or the chain's own beginning vouches for what the first record builds on. */
  anchored: boolean
}

const LINE_LIMIT = 16_384
const LINE_COUNT_LIMIT = 3_000_000

const KEY_ID = /^[0-9a-f]{16}$/
const Seq = z.int().nonnegative()
const Hash = z.string().regex(/^[0-9a-f]{64}$/)
const Text = z.string()
/** Exports that are older than these fields have none. */
const Reference = Text.nullable().default(null)
const Start = z.strictObject({
  kind: z.literal('export'),
  format: z.literal(1),
  key_id: Text,
  public_key: Text,
  exported_at: Text,
  from_seq: Seq,
  previous_hash: Hash,
})
const Record = z.strictObject({
  kind: z.literal('record'),
  seq: Seq,
  at: Text,
  vault_id: Text,
  surface: Text,
  caller_kind: Text,
  caller_id: Text,
  client: Text,
  operation: Text,
  target_kind: Text.nullable(),
  target_id: Text.nullable(),
  outcome: z.enum(['allowed', 'denied', 'failed']),
  code: Text.nullable(),
  duration_us: z.int(),
  policy_revision: Text,
  repeats: z.int(),
  grant_id: Reference,
  flow_id: Reference,
  flow_version: Reference,
  seat_id: Reference,
  request_id: Reference,
  hash: Hash,
})
const Checkpoint = z.strictObject({
  kind: z.literal('checkpoint'),
  seq: Seq,
  at: Text,
  hash: Hash,
  previous_seq: Seq,
  rule: z.enum(['age', 'count', 'size']).nullable().default(null),
  signature: Text,
})
const End = z.strictObject({
  kind: z.literal('end'),
  key_id: Text,
  exported_at: Text,
  from_seq: Seq,
  previous_hash: Hash,
  seq: Seq,
  hash: Hash,
  records: Seq,
  checkpoints: Seq,
  signature: Text,
})
const Line = z.discriminatedUnion('kind', [Start, Record, Checkpoint, End])
type Line = z.infer<typeof Line>

interface Walk {
  start: z.infer<typeof Start> | undefined
  key: ReturnType<typeof publicAuditKey> | undefined
  place: Place
  checkpoint: Place
  ended: boolean
}

/**
 * Checks the lines of an export without the hub: only the public key is needed. With
 * `trusted_public_key` a file that another key signed is refused; without, the report names the key.
 */
export async function verifyExport(
  lines: Iterable<string> | AsyncIterable<string>,
  trusted_public_key?: string,
): Promise<ExportReport> {
  const found = { intact: true, records: 0, first_seq: 0, last_seq: 0, checkpoints: 0, fault: null }
  const report: ExportReport = { ...found, public_key: null, anchored: false }
  try {
    await walkLines(lines, trusted_public_key, report)
    return report
  } catch (error) {
    if (!(error instanceof ChainFault)) throw error
    return { ...report, intact: false, fault: error.message }
  }
}

async function walkLines(
  lines: Iterable<string> | AsyncIterable<string>,
  trusted: string | undefined,
  report: ExportReport,
): Promise<void> {
  const genesis = { seq: 0, hash: GENESIS_HASH }
  const walk: Walk = { start: undefined, key: undefined, place: genesis, checkpoint: genesis, ended: false }
  let count = 0
  for await (const text of lines) {
    if (text === '') continue
    if (++count > LINE_COUNT_LIMIT) throw new ChainFault('The file has too many lines.')
    takeLine(walk, parseLine(text, count), trusted, report)
  }
  if (!walk.ended) throw new ChainFault('The file is cut: its closing line is missing.')
}

function parseLine(text: string, number: number): Line {
  try {
    if (text.length > LINE_LIMIT) throw new Error('too long')
    return Line.parse(JSON.parse(text))
  } catch {
    throw new ChainFault(`Line ${number} is not a line of an export.`)
  }
}

function takeLine(walk: Walk, line: Line, trusted: string | undefined, report: ExportReport): void {
  if (walk.ended) throw new ChainFault('Something follows the closing line.')
  if (line.kind === 'export') return takeStart(walk, line, trusted, report)
  if (!walk.key || !walk.start) throw new ChainFault('The file does not begin with its opening line.')
  if (line.kind === 'record') {
    if (report.checkpoints > 0) throw new ChainFault('A record stands after the checkpoints.')
    walk.place = checkRecord(line, walk.place)
    report.records++
    report.last_seq = line.seq
  } else if (line.kind === 'checkpoint') {
    checkCheckpoint(line, walk.checkpoint.seq, walk.key)
    walk.checkpoint = line
    report.checkpoints++
  } else takeEnd(walk, line, report)
}

function takeStart(
  walk: Walk,
  line: z.infer<typeof Start>,
  trusted: string | undefined,
  report: ExportReport,
): void {
  if (walk.start) throw new ChainFault('The file has two opening lines.')
  if (trusted !== undefined && trusted.trim() !== line.public_key.trim())
    throw new ChainFault('The file names another key than the trusted one.')
  // What the key signs for other chains names it otherwise.
  if (!KEY_ID.test(line.key_id)) throw new ChainFault('The file was signed for another chain.')
  walk.start = line
  walk.key = requireKey(line.public_key)
  walk.place = { seq: line.from_seq - 1, hash: line.previous_hash }
  report.public_key = line.public_key
  report.first_seq = line.from_seq
  report.last_seq = line.from_seq - 1
}

function requireKey(public_key: string): ReturnType<typeof publicAuditKey> {
  try {
    return publicAuditKey(public_key)
  } catch {
    throw new ChainFault('The public key cannot be read.')
  }
}

function takeEnd(walk: Walk, line: z.infer<typeof End>, report: ExportReport): void {
  const { start, key, place, checkpoint } = walk
  if (!start || !key) return
  const { key_id, exported_at, from_seq, previous_hash } = start
  const counted = {
    seq: place.seq,
    hash: place.hash,
    records: report.records,
    checkpoints: report.checkpoints,
  }
  const found: ExportBody = { key_id, exported_at, from_seq, previous_hash, ...counted }
  // What the line itself says has to be what was found: the signature covers one text only.
  if (![found, line].every((body) => key.isExport(body, line.signature)))
    throw new ChainFault('The closing line does not vouch for what is in the file.')
  if (from_seq - 1 === checkpoint.seq) {
    if (previous_hash !== checkpoint.hash)
      throw new ChainFault('The first record does not build on its checkpoint.')
    report.anchored = true
  }
  walk.ended = true
}
