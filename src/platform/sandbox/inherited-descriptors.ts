import { readdirSync, readFileSync } from 'node:fs'
import { SandboxUnavailable } from './sandbox.ts'
import { INHERITED_FD_MAX } from './sandbox-limits.ts'

const CLOSED_ON_EXEC = 0o2000000

/**
 * The descriptors that every child of this process would receive because whoever started it left them
 * open. One of a folder outside would be a way out of the sandbox.
 */
export function inheritedDescriptors(): number[] {
  const open = readdirSync('/proc/self/fd').map(Number)
  const inherited = open.filter((fd) => fd > 2 && isPassedOn(fd))
  if (inherited.every((fd) => fd < INHERITED_FD_MAX)) return inherited
  throw new SandboxUnavailable(
    `This process was started with a descriptor above ${INHERITED_FD_MAX} left open.`,
    'Start it from a process that closes its files on exec.',
  )
}

function isPassedOn(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0
  } catch {
    return false // The listing itself, closed by now.
  }
}
