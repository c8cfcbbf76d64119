import type { z } from 'zod'
import type { AuditListOutput } from '../../../domains/admin/audit-list.ts'
import { cellOf } from '../../../operations/present/table.ts'
import { isFlagOn } from '../command.ts'
import { readAnswer } from '../hub/parse-answer.ts'
import type { Extension } from '../operation-command.ts'
import { printAnswer, printRefusal } from '../output/output.ts'

const WAIT_SECONDS = 20
/** The most that one call answers. */
const PAGE = 200
/** Looking at the log leaves a record itself, which nobody who follows it waits for. */
const OWN = 'audit_list'

type Records = z.output<typeof AuditListOutput>['records']

/** `audit list --follow`: tells what is there, then each record as it comes, until it is stopped. */
export const auditListExtension: Extension = {
  flags: [{ name: 'follow', description: 'Go on with what comes, a line each, until stopped with Ctrl-C' }],
  tellsProgress: true,
  async act({ operation, invocation, input, call }) {
    const first = await call(input)
    if (!isFlagOn(invocation, 'follow') || !first.ok) return printAnswer(operation, first, invocation)
    const { io, globals } = invocation
    const tell = (records: Records) => {
      const shown = records.filter(({ operation: name }) => name !== OWN || input.operation === OWN)
      for (const record of shown)
        io.stdout.write(`${globals.json ? JSON.stringify(record) : lineOf(record)}\n`)
    }
    const { records } = readAnswer<typeof AuditListOutput>(first)
    tell(records.toReversed())
    let after_seq = Number(records[0]?.seq ?? input.after_seq ?? 0)
    for (;;) {
      const more = await nextRecords(call, { ...input, after_seq })
      if ('refused' in more) return printRefusal(more.refused, invocation)
      tell(more.records)
      after_seq = Number(more.records.at(-1)?.seq ?? after_seq)
    }
  },
}

type Ask = Parameters<Extension['act']>[0]['call']

/** What came after a number, oldest first; where it is more than a page, all the pages. */
async function nextRecords(call: Ask, input: Record<string, unknown>) {
  const found: Records = []
  let before_seq: number | null | undefined
  do {
    const wait = before_seq === undefined ? { wait_seconds: WAIT_SECONDS } : { before_seq }
    const answer = await call({ ...input, limit: PAGE, ...wait })
    if (!answer.ok) return { refused: answer }
    const body = readAnswer<typeof AuditListOutput>(answer)
    found.push(...body.records)
    before_seq = body.next_before_seq
  } while (before_seq !== null)
  return { records: found.toReversed() }
}

function lineOf({
  seq,
  at,
  operation,
  target_id,
  code,
  outcome,
  caller_kind,
  caller_id,
  grant_id,
}: Records[number]) {
  const caller = `${cellOf(caller_kind)} ${cellOf(caller_id)}`
  const words = [seq, at, operation, target_id, code ?? outcome].map((value) => cellOf(value)).filter(Boolean)
  return [...words, caller, ...(grant_id ? [`with ${cellOf(grant_id)}`] : [])].join('  ')
}
