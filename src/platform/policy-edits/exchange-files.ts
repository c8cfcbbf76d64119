import { constants } from 'node:os'
import { type CLibrary, callsOf } from '../basics/c-library.ts'

// What the headers of the C library say.
const AT_THE_WORKING_FOLDER = -100
const EXCHANGE = 2

const declareRename = (library: CLibrary) => ({
  renameat2: library.func(
    'int renameat2(int olddirfd, const char *oldpath, int newdirfd, const char *newpath, unsigned int flags)',
  ),
  errno: library.errno,
})

/** `impossible`: the system or the file system cannot do that. `missing`: one of them is not there. */
export type Exchanged = 'done' | 'missing' | 'impossible'

/** Has two files change places in one step, so that what was in a place is in hand after it. */
export function exchangeFiles(one: string, other: string): Exchanged {
  const { EINVAL, ENOENT, ENOSYS, EOPNOTSUPP } = constants.errno
  let calls: ReturnType<typeof declareRename>
  try {
    calls = callsOf(declareRename)
  } catch {
    return 'impossible'
  }
  const { renameat2, errno } = calls
  if (renameat2(AT_THE_WORKING_FOLDER, one, AT_THE_WORKING_FOLDER, other, EXCHANGE) === 0) return 'done'
  const reason = errno()
  if (reason === ENOENT) return 'missing'
  if ([EINVAL, ENOSYS, EOPNOTSUPP].includes(reason)) return 'impossible'
  throw new Error(`renameat2 fails with error ${reason}`)
}
