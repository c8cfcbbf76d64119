import { constants } from 'node:os'
import { type CLibrary, callsOf } from '../basics/c-library.ts'

// What the headers of the C library say.
const OPERATIONS = { shared: 1, exclusive: 2 } as const
const DO_NOT_WAIT = 4
const UNLOCK = 8

const declareFlock = (library: CLibrary) => ({
  flock: library.func('int flock(int fd, int operation)'),
  errno: library.errno,
})

/** Locks an open file or folder; answers false where somebody else's lock is in the way. Waits for nobody. */
export function tryLock(fd: number, how: keyof typeof OPERATIONS): boolean {
  const { flock, errno } = callsOf(declareFlock)
  if (flock(fd, OPERATIONS[how] | DO_NOT_WAIT) === 0) return true
  const reason = errno()
  if (reason === constants.errno.EWOULDBLOCK) return false
  throw new Error(`flock fails with error ${reason}`)
}

/** Ends a lock, also where another process still has a copy of the descriptor. */
export function unlock(fd: number): void {
  callsOf(declareFlock).flock(fd, UNLOCK)
}
