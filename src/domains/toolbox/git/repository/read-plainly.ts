import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Reads a file of a repository that may be swapped for something else at any time: a link leads nowhere, and a
 * pipe keeps nobody waiting. Undefined for what is no plain file or is larger.
 */
export function readPlainFile(
  path: string,
  max_bytes: number,
): { readonly bytes: Buffer; readonly stat: BigIntStats } | undefined {
  const fd = openSync(path, OPEN_FLAGS)
  try {
    const stat = fstatSync(fd, { bigint: true })
    if (!stat.isFile() || stat.size > max_bytes) return undefined
    const bytes = Buffer.allocUnsafe(Number(stat.size) + 1)
    const size = readSync(fd, bytes, 0, bytes.length, 0)
    return size > max_bytes ? undefined : { bytes: bytes.subarray(0, size), stat }
  } finally {
    closeSync(fd)
  }
}

/** The same without what it is. */
export function readPlainly(path: string, max_bytes: number): Buffer | undefined {
  return readPlainFile(path, max_bytes)?.bytes
}
