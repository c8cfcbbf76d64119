import type { AuditExportOutput } from '../../../../domains/admin/audit-export.ts'
import type { LedgerExportOutput } from '../../../../domains/boundary/ledger/ledger-export.ts'
import { UsageError } from '../../cli-errors.ts'
import { findFlag } from '../../command.ts'
import type { CallAnswer } from '../../hub/connection.ts'
import { readAnswer } from '../../hub/parse-answer.ts'
import type { Extension, OperationCall } from '../../operation-command.ts'
import { openAtomicFile } from '../../output/atomic-file.ts'
import { printAnswer, printForPerson, printRefusal } from '../../output/output.ts'

/** A chain as signed lines: how many pages at the most, and what checks the file that is written. */
interface LinesExport {
  /** A chain of more pages than this has to be exported in parts, with --after-seq and --limit. */
  readonly page_limit: number
  readonly verify_command: string
}

/** The whole chain, page after page; with --json or --limit just one page. */
export function linesExport(options: LinesExport): Extension {
  return {
    flags: [{ name: 'out', value: 'PATH', description: 'Write the lines to this file' }],
    async before(invocation) {
      if (!invocation.globals.json || findFlag(invocation, 'out') === undefined) return undefined
      throw new UsageError(
        '--json and --out exclude each other.',
        'Leave out --json: the file holds JSON lines.',
      )
    },
    async act(call) {
      const { invocation, operation } = call
      if (invocation.globals.json) return printAnswer(operation, await call.call(), invocation)
      const path = findFlag(invocation, 'out')
      return path === undefined
        ? exportPages(call, options, (text) => {
            // The lines are signed as they stand: only where a person reads along may a sign be spelled out.
            const { stdout, isTerminal } = invocation.io
            return stdout.write(isTerminal ? text : Buffer.from(text))
          })
        : exportToFile(call, options, path)
    },
  }
}

async function exportToFile(call: OperationCall, options: LinesExport, path: string): Promise<number> {
  const file = openAtomicFile(path)
  try {
    const code = await exportPages(call, options, (text) => file.append(text))
    if (code !== 0) return code
    file.commit()
    printForPerson(call.invocation, `Wrote ${path}. Check it anywhere with \`${options.verify_command}\`.`)
    return 0
  } finally {
    file.close()
  }
}

async function exportPages(
  call: OperationCall,
  { page_limit }: LinesExport,
  write: (text: string) => unknown,
): Promise<number> {
  const { input, invocation } = call
  let answer: CallAnswer = await call.call()
  for (let pages = 1; pages <= page_limit; pages++) {
    if (!answer.ok) return printRefusal(answer, invocation)
    const page = readAnswer<typeof AuditExportOutput | typeof LedgerExportOutput>(answer)
    write(page.lines.map((line) => `${line}\n`).join(''))
    if (page.next_after_seq === null || input.limit !== undefined) break
    answer = await call.call({ ...input, after_seq: page.next_after_seq })
  }
  return 0
}
