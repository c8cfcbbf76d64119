import type { Hub } from '../../../operations/hub.ts'
import { sql } from '../../../platform/storage/database.ts'
import { listSinks } from '../sinks/sink-store.ts'
import type { Finding } from './doctor-finding.ts'

const readHead = sql<{ seq: number }>('SELECT seq FROM audit_head WHERE only_row = 1')

/** How far the copies of the audit log have come that the configuration names. */
export async function sinkFindings({ db, config }: Hub): Promise<Finding[]> {
  const { sinks } = config.audit
  if (sinks.length === 0) return []
  const end = Number((await db.get(readHead))?.seq ?? 0)
  const states = new Map((await listSinks(db)).map((state) => [state.sink, state]))
  return sinks.map(({ name }) => {
    const subject = `audit sink ${name}`
    const state = states.get(name)
    if (!state)
      return { subject, state: 'off', detail: 'nothing was sent yet', fix: 'A hub that serves sends.' }
    const { sent_at, failure, attempts } = state
    const missing = Math.max(0, end - Number(state.seq))
    const detail = `it lacks ${missing} of ${end} records; the last came ${sent_at ?? 'never'}`
    if (failure === null) return { subject, state: 'ok', detail, fix: null }
    const fix = 'Nothing is lost: the hub tries again, until retention cuts off what it did not get.'
    return { subject, state: 'wrong', detail: `${detail}; ${attempts} tries failed: ${failure}`, fix }
  })
}
