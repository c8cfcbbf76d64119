import { describe } from 'vitest'
import { runAuditTests } from './store-audit.ts'
import { runMigrationTests } from './store-migrations.ts'
import type { StoreKind } from './store-place.ts'
import { runTransactionTests } from './store-transactions.ts'
import { runValueTests } from './store-values.ts'

/** Everything that the rest of the hub relies on in a database; both must pass it. */
export function runStoreSuite(name: string, kind: StoreKind): void {
  describe(name, () => {
    runValueTests(kind)
    runTransactionTests(kind)
    runMigrationTests(kind)
    runAuditTests(kind)
  })
}
