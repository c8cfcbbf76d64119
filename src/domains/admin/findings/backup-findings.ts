import type { Hub } from '../../../operations/hub.ts'
import { findLastBackup } from '../../../platform/storage/backup/last-backup.ts'
import type { Finding } from './doctor-finding.ts'

const SUBJECT = 'backup'
const DAY_MS = 86_400_000
/** After this long a backup no longer counts as fresh. */
const FRESH_DAYS = 7
const FIX = 'Run `knowtation backup create FOLDER` where the hub runs; a timer can do it, too.'

/** How old the newest backup is that was made by the program itself. */
export async function backupFindings({ db, system }: Pick<Hub, 'db' | 'system'>): Promise<Finding[]> {
  const last = await findLastBackup(db)
  if (!last)
    return [{ subject: SUBJECT, state: 'off', detail: 'none was made by this program yet', fix: FIX }]
  const days = Math.floor((system.now().getTime() - Date.parse(last.at)) / DAY_MS)
  const size = `${(last.bytes / 1_048_576).toFixed(1)} MB`
  const detail = `the last one is of ${last.at.slice(0, 16).replace('T', ' ')} UTC, ${size}`
  if (days < FRESH_DAYS) return [{ subject: SUBJECT, state: 'ok', detail, fix: null }]
  return [{ subject: SUBJECT, state: 'off', detail: `${detail}: ${days} days ago`, fix: FIX }]
}
