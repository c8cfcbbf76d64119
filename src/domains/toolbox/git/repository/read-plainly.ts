import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Reads a small file of a repository that may be swapped for something else at any time: a link leads nowhere, and a
 * pipe keeps nobody waiting. Undefined for what is no plain file or is larger.
 */
export function readPlainly(path: string, max_bytes: number): Buffer | undefined {
  const fd = openSync(path, OPEN_FLAGS)
  try {
    if (!fstatSync(fd).isFile()) return undefined
    const bytes = Buffer.alloc(max_bytes + 1)
    const size = readSync(fd, bytes, 0, bytes.length, 0)
    return size > max_bytes ? undefined : bytes.subarray(0, size)
  } finally {
    closeSync(fd)
  }
}
