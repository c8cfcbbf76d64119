import { EVERYTHING, type Lock } from './lock.ts'

/** All locks, ready to be asked about one call. */
export interface LockTable {
  /** The lock that stops a call of any of these agents in this service. */
  find(agents: readonly string[], service: string | undefined): Lock | undefined
}

/** Sorts locks so that asking costs the same however many there are. */
export function lockTable(locks: readonly Lock[]): LockTable {
  const byKey = new Map(locks.map((lock) => [`${lock.kind}|${lock.id}`, lock]))
  const hasServices = locks.some(({ kind }) => kind === 'service')
  const everything = byKey.get(`all|${EVERYTHING}`)
  return {
    find(agents, service) {
      if (byKey.size === 0 || everything) return everything
      for (const agent of agents) {
        const found = byKey.get(`agent|${agent}`)
        if (found) return found
      }
      if (!hasServices || service === undefined) return undefined
      const place = placesOf(service).find((folder) => byKey.has(`service|${folder}`))
      return place === undefined ? undefined : byKey.get(`service|${place}`)
    },
  }
}

/**
 * Every way a lock can name a service: its folder or one above it, absolute, or the end of its path. A
 * lock that names more than was meant is taken back easily; one that names nothing is noticed too late.
 */
export function placesOf(service: string): string[] {
  const names = service.split('/').filter((name) => name !== '')
  const above = names.map((_, at) => `/${names.slice(0, at + 1).join('/')}`)
  const ends = names.map((_, at) => names.slice(at).join('/'))
  return ['/', ...above, ...ends]
}
