import type { LedgerVerifyOutput } from '../../../../domains/boundary/ledger/ledger-verify.ts'
import { counted } from '../../../../platform/basics/printable.ts'
import { readAnswer } from '../../hub/parse-answer.ts'
import type { Extension } from '../../operation-command.ts'
import { printAnswer } from '../../output/output.ts'
import { linesExport } from './lines-export.ts'
import { linesVerify } from './lines-verify.ts'

/** `ledger export`: a tenant's whole chain as signed lines. */
export const ledgerExportExtension = linesExport({
  page_limit: 100_000,
  verify_command: 'knowtation ledger verify --file',
})

/** `ledger verify`: checks the chains of a vault, or with --file an exported one. */
export const ledgerVerifyExtension: Extension = {
  ...linesVerify({
    verify: async (lines, trusted_public_key) => {
      const { verifyLedgerExport } = await import(
        '../../../../domains/boundary/ledger/verify-ledger-export.ts'
      )
      return verifyLedgerExport(lines, trusted_public_key)
    },
    describe: ({ intact, entries, anchored, fault }) =>
      intact
        ? `The exported ledger is intact: ${counted(entries, 'entry', 'entries')}${anchored ? ' from the first on' : ''}.`
        : `The exported ledger is not intact: ${fault}`,
  }),
  async act({ operation, invocation, call }) {
    const answer = await call()
    const code = await printAnswer(operation, answer, invocation)
    return code === 0 && !readAnswer<typeof LedgerVerifyOutput>(answer).intact ? 1 : code
  },
}
