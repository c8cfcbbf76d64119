import { holderName } from './holder-name.ts'
import { beginWork, type Holding } from './holdings.ts'
import { keepLeases, letGo } from './keep-leases.ts'
import { leaseTime } from './lease-clock.ts'
import { oneAtATime, soon } from './one-at-a-time.ts'
import type { Worker, WorkKind } from './work-kind.ts'
import type { WorkClaim, WorkKey } from './work-table.ts'

/** Opens the worker of one kind of work: it claims, renews, stops and lets go as the table's leases say. */
export function openWorker<Name extends string, Claim extends WorkClaim<Name>>(
  kind: WorkKind<Name, Claim>,
): Worker<Name, Claim> {
  const { db, table, slots, onFault } = kind
  const owner = holderName(kind.system.random(12))
  const holdings = new Map<string, Holding<Claim>>()
  const leases = keepLeases(kind, owner, holdings)
  let closed = false
  /** Whether there may be more to do than there was room for. */
  let hasMore = false
  /** Whether something came up that may be for what is just being let go. */
  let isWoken = false

  const onEnd = (holding: Holding<Claim>) => {
    if (forget(holdings, holding) === 0) leases.rest()
    if (hasMore || isWoken) wake()
  }
  const begin = (claim: Claim, since: number) => {
    const holding = beginWork(kind, claim, { since, renew: leases.renew, onEnd })
    holdings.get(holding.name)?.stop('lost')
    holdings.set(holding.name, holding)
    leases.wake()
  }
  const take = async (key: WorkKey<Name>) => {
    const since = performance.now()
    const claim = await db.transaction((tx) => kind.claim(tx, key, owner))
    if (claim) begin(claim, since)
  }
  const looking = oneAtATime(async () => {
    if (closed) return
    // What ends meanwhile makes room, and so asks for another look.
    hasMore = true
    hasMore = await takeDue(kind, holdings, take)
  })
  const waking = soon(() => {
    leases.check()
    looking.run().catch(onFault)
  })
  const wake = () => {
    isWoken = holdings.size > 0
    if (!closed) waking.ask()
  }
  const hasRoom = () => !closed && holdings.size < slots
  const close = async () => {
    closed = true
    waking.cancel()
    // What is being claimed at this moment is begun, and then told to stop with the rest.
    await looking.settled()
    const left = await stopAll(holdings)
    leases.rest()
    if (left > 0) await letGo(kind, owner)
  }
  return {
    owner,
    hasRoom,
    held: () => [...holdings.values()].map(({ task }) => task.claim),
    look: looking.run,
    wake,
    take: async (key) => void (hasRoom() && (await take(key))),
    start: (claim) => void (!closed && begin(claim, performance.now())),
    stop: (key) => holdings.get(table.nameOf(key))?.stop('lost'),
    settled: (key) => holdings.get(table.nameOf(key))?.done,
    close,
  }
}

/** Claims what is due, as far as there is room. Answers whether there may be more. */
async function takeDue<Name extends string, Claim extends WorkClaim<Name>>(
  kind: WorkKind<Name, Claim>,
  holdings: ReadonlyMap<string, Holding<Claim>>,
  take: (key: WorkKey<Name>) => Promise<void>,
): Promise<boolean> {
  const free = kind.slots - holdings.size
  if (free <= 0) return true
  if (await kind.mayBeginNothing?.()) return false
  const time = await leaseTime(kind.db, kind)
  await kind.table.endGone(kind.db, time.now)
  const found = await kind.find(time, free)
  const wanted = found.filter((key) => !holdings.has(kind.table.nameOf(key)))
  await Promise.all(wanted.map((key) => take(key).catch(kind.onFault)))
  return found.length >= free
}

/** Takes something off the list, unless another stands in its place. Answers how many are left. */
function forget<Claim>(holdings: Map<string, Holding<Claim>>, holding: Holding<Claim>): number {
  if (holdings.get(holding.name) === holding) holdings.delete(holding.name)
  return holdings.size
}

/** Stops everything and waits for it. Answers how many there were. */
async function stopAll<Claim>(holdings: ReadonlyMap<string, Holding<Claim>>): Promise<number> {
  const left = [...holdings.values()]
  for (const holding of left) holding.stop('closing')
  await Promise.allSettled(left.map(({ done }) => done))
  return left.length
}
