import { compareEnds, type EndsReport } from '../../../../platform/audit/sent-ends/compare-ends.ts'
import { linesOf } from '../../../../platform/audit/sent-ends/ends-file.ts'
import { readCertificates } from '../../../../platform/audit/sent-ends/send-ends.ts'
import { type ChainReport, verifyChain } from '../../../../platform/audit/verify-chain.ts'
import { CommandFailure, UsageError } from '../../cli-errors.ts'
import { findFlag, type Invocation } from '../../command.ts'
import { openHome } from '../../hub/local-connection.ts'

/** Walks the log of the home, and holds it against ends that came back from where they were sent. */
export async function verifyEnds(invocation: Invocation): Promise<ChainReport & { ends: EndsReport }> {
  const [file = '', ca, url] = [
    findFlag(invocation, 'ends'),
    findFlag(invocation, 'time-stamp-ca'),
    invocation.globals.url,
  ]
  if (url !== undefined)
    throw new UsageError('--ends needs the home itself.', 'Run it where the hub runs, without --url.')
  const hub = await openHome(invocation)
  try {
    const trusted = ca === undefined ? [] : readCertificates(ca)
    const report = await verifyChain(hub.db, hub.audit.key)
    const ends = await compareEnds(hub.db, linesOf(file), { key: hub.audit.key, trusted })
    const fault = report.fault ?? ends.fault
    return { ...report, ends, fault, intact: fault === null }
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException
    if (path === undefined) throw error
    throw new CommandFailure(
      'FILE_NOT_READ',
      `${path} cannot be read (${code}).`,
      'Check its path and permissions.',
    )
  } finally {
    await hub.close()
  }
}
