import { setTimeout as pause } from 'node:timers/promises'
import type { AuditExportOutput } from '../../../../domains/admin/audit-export.ts'
import { linkRecords } from '../../../../domains/admin/sinks/link-records.ts'
import {
  type LinkedRecord,
  RECORD_FORMATS,
  type RecordFormat,
  renderRecord,
} from '../../../../domains/admin/sinks/record-shapes.ts'
import { UsageError } from '../../cli-errors.ts'
import { findFlag, type Invocation } from '../../command.ts'
import { readAnswer } from '../../hub/parse-answer.ts'
import type { OperationCall } from '../../operation-command.ts'
import { printRefusal } from '../../output/output.ts'

/** Each look at the log is on record itself, so they are not made often; a sink of the hub's gets records sooner. */
const LOOK_EVERY_MS = 5_000
const PAGE = 1_000

type Line = { kind: string; previous_hash: string } & Omit<LinkedRecord, 'previous_hash'>

/** Prints each record as one line, from those that are there to those that come, until it is stopped. */
export async function followExport({ input, invocation, call }: OperationCall): Promise<number> {
  const format = formatOf(invocation)
  let after_seq = Number(input.after_seq ?? 0)
  for (;;) {
    const answer = await call({ ...input, after_seq, limit: PAGE })
    if (!answer.ok) return printRefusal(answer, invocation)
    const page = readAnswer<typeof AuditExportOutput>(answer)
    const [start, ...lines] = page.lines.map((line) => JSON.parse(line) as Line)
    const records = lines.flatMap(({ kind, ...record }) => (kind === 'record' ? [record] : []))
    const linked = linkRecords(records, (start as Line).previous_hash)
    const text = linked.map((record) => `${renderRecord(record, format)}\n`).join('')
    const { stdout, isTerminal } = invocation.io
    if (text !== '') stdout.write(isTerminal ? text : Buffer.from(text))
    after_seq = linked.at(-1)?.seq ?? after_seq
    if (page.next_after_seq === null) await pause(LOOK_EVERY_MS)
  }
}

function formatOf(invocation: Invocation): RecordFormat {
  const wanted = findFlag(invocation, 'format') ?? 'own'
  const format = RECORD_FORMATS.find((one) => one === wanted)
  if (format) return format
  throw new UsageError(`There is no format ${wanted}.`, `Formats: ${RECORD_FORMATS.join(', ')}.`)
}
