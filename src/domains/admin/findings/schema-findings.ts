import type { Hub } from '../../../operations/hub.ts'
import { sql } from '../../../platform/storage/database.ts'
import { migrations } from '../../../platform/storage/schema.ts'
import { schemaRelease } from '../../../platform/storage/schema-release.ts'
import type { Finding } from './doctor-finding.ts'

const readStep = sql<{ step: number }>('SELECT MAX(version) AS step FROM schema_version')

/** Which schema the database has, and whether a newer program has brought it further than this one knows. */
export async function schemaFindings({ db }: Pick<Hub, 'db'>): Promise<Finding[]> {
  const own = migrations.at(-1)?.version ?? 0
  const step = (await db.get(readStep))?.step ?? own
  const known = `${schemaRelease(migrations)} (step ${own})`
  if (step <= own) return [{ subject: 'schema', state: 'ok', detail: known, fix: null }]
  return [
    {
      subject: 'schema',
      state: 'on',
      detail: `step ${step}, of a newer program; this one knows ${known} and may go on beside it`,
      fix: 'Bring this program to the newer version, too.',
    },
  ]
}
