import type { Hub } from '../../../operations/hub.ts'
import { countOpenAlerts, listOpenAlerts } from '../../../platform/alerts/alert-store.ts'
import { countLocks, listLocks } from '../../../platform/locks/lock-store.ts'
import type { Finding } from './doctor-finding.ts'

/** So many are named; the rest is a number. */
const NAMED_LIMIT = 5

/** Agents in Alert Mode that nobody has looked at, and what is locked. */
export async function alertFindings({ db }: Hub): Promise<Finding[]> {
  const open = await countOpenAlerts(db)
  const locked = await countLocks(db)
  const agents = (await listOpenAlerts(db, NAMED_LIMIT)).map(({ agent_id }) => agent_id)
  const locks = (await listLocks(db, NAMED_LIMIT)).map(({ kind, id }) =>
    kind === 'all' ? 'everything' : `${kind} ${id}`,
  )
  return [
    {
      subject: 'agents in Alert Mode',
      state: open > 0 ? 'wrong' : 'ok',
      detail: open > 0 ? summary(agents, open) : 'none',
      fix:
        open > 0
          ? 'See `knowtation violation list`; stop an agent with `knowtation lock agent ID`, then `knowtation alert acknowledge ID`.'
          : null,
    },
    {
      subject: 'locks',
      state: locked > 0 ? 'on' : 'off',
      detail: locked > 0 ? summary(locks, locked) : 'nothing is locked',
      fix:
        locked > 0 ? 'Calls go on after `knowtation lock release`; `knowtation lock list` names them.' : null,
    },
  ]
}

function summary(named: readonly string[], total: number): string {
  const more = total - named.length
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ')
}
