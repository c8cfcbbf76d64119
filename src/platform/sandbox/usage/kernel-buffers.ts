import { type JailView, namesIn, readQuietly } from './jail-processes.ts'

const SOCKET_LIMITS = ['/proc/sys/net/core/wmem_max', '/proc/sys/net/core/rmem_max']
/** Where the machine does not tell its own. */
const SOCKET_BYTES = 212_992
/** The kernel allows twice of what a program asks for, for what it needs itself. */
const SOCKET_FACTOR = 2
/** Of a pipe as it is made, and of an enlarged one. All that were enlarged have so much together, of one user. */
const PIPE_BYTES = 64 * 1024
const ENLARGED_PIPE_BYTES = 1024 * 1024
const ENLARGED_PIPES_BYTES = 64 * 1024 * 1024

/**
 * The most that the kernel may hold for the sockets and pipes of a jail. What is really there is told of no process: a
 * socket may be on its way in another one. All of them are in the jail's own network, which counts them.
 */
export function kernelBuffersAtMost({ processes }: JailView): number {
  const folders = processes.map(({ folder }) => folder)
  // Looking at what each of them is takes long, and there is no harm in a bound that is too high.
  const pipes = folders.reduce((sum, folder) => sum + namesIn(`${folder}/fd`).length, 0)
  const of_pipes = Math.min(pipes * ENLARGED_PIPE_BYTES, pipes * PIPE_BYTES + ENLARGED_PIPES_BYTES)
  return countSockets(folders) * socketBytes() + of_pipes
}

function countSockets(folders: readonly string[]): number {
  for (const folder of folders) {
    const used = /^sockets: used (\d+)/m.exec(readQuietly(`${folder}/net/sockstat`) ?? '')?.[1]
    if (used !== undefined) return Number(used)
  }
  return 0
}

function socketBytes(): number {
  const limits = SOCKET_LIMITS.map((path) => Number(readQuietly(path) ?? SOCKET_BYTES))
  return SOCKET_FACTOR * limits.reduce((sum, limit) => sum + limit, 0)
}
