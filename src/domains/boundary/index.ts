import type { Hub } from '../../operations/hub.ts'
import { deadLetterList } from './dead-letters/dead-letter-list.ts'
import { deadLetterReplay } from './dead-letters/dead-letter-replay.ts'
import { boundaryEngines } from './engines/boundary-engines.ts'
import { boundaryCancel } from './executions/boundary-cancel.ts'
import { boundaryCompose } from './executions/boundary-compose.ts'
import { boundaryList } from './executions/boundary-list.ts'
import { boundaryRun } from './executions/boundary-run.ts'
import { boundaryShow } from './executions/boundary-show.ts'
import { runnerOf } from './executions/execution-runner.ts'
import { ledgerAppend } from './ledger/ledger-append.ts'
import { ledgerExport } from './ledger/ledger-export.ts'
import { ledgerGrowth } from './ledger/ledger-growth.ts'
import { ledgerLineage } from './ledger/ledger-lineage.ts'
import { ledgerList } from './ledger/ledger-list.ts'
import { ledgerShow } from './ledger/ledger-show.ts'
import { ledgerVerify } from './ledger/ledger-verify.ts'

/** What can be done with external engines and the ledger that they work for. */
export const boundaryOperations = [
  boundaryEngines,
  boundaryCompose,
  boundaryRun,
  boundaryShow,
  boundaryList,
  boundaryCancel,
  deadLetterList,
  deadLetterReplay,
  ledgerAppend,
  ledgerList,
  ledgerShow,
  ledgerLineage,
  ledgerGrowth,
  ledgerVerify,
  ledgerExport,
]

export { sealLedger } from './ledger/seal-ledger.ts'

/** What the domain does by itself, now and then. */
export const boundaryChores = [
  { name: 'take over abandoned executions', every_ms: 2_000, run: (hub: Hub) => runnerOf(hub).look() },
]
