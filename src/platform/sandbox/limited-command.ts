import { existsSync, readFileSync } from 'node:fs'
import { release } from 'node:os'
import { type CommandLimits, SandboxUnavailable } from './sandbox.ts'
import {
  ARGUMENT_BYTES_MAX,
  FILE_BYTES,
  PENDING_SIGNALS,
  QUEUE_BYTES,
  THREADS_PER_PROCESS,
} from './sandbox-limits.ts'

/**
 * No image of a dead process: 1 byte is too little for a file, and the only number by which the kernel does not start the
 * machine's program for such images either. That one would run outside of the sandbox, as root, on what an agent crashed.
 */
const IMAGE_BYTES = 1
const PRLIMIT_PATHS = ['/usr/bin/prlimit', '/bin/prlimit']

/** How the kernel calls the limits of a process where it tells them. */
const TITLES = {
  core: 'Max core file size',
  fsize: 'Max file size',
  data: 'Max data size',
  nproc: 'Max processes',
  sigpending: 'Max pending signals',
  msgqueue: 'Max msgqueue size',
} as const
const OWN_LIMITS = '/proc/self/limits'

const COUNTS_PER_NAMESPACE_FROM = [5, 14] as const

/**
 * Puts the kernel's own limits before a command. `data` is each process's own memory: a limit on address
 * space would stop every runtime that reserves much and uses little.
 */
export function limitedCommand(argv: readonly string[], limits: CommandLimits): string[] {
  checkArguments(argv)
  const prlimit = PRLIMIT_PATHS.find((path) => existsSync(path))
  if (prlimit === undefined) return [...argv]
  const { memory_bytes, processes } = limits
  const wanted = {
    core: IMAGE_BYTES,
    fsize: FILE_BYTES,
    sigpending: PENDING_SIGNALS,
    msgqueue: QUEUE_BYTES,
    ...(memory_bytes !== undefined && { data: memory_bytes }),
    ...(processes !== undefined && isCountBinding() && { nproc: processes * THREADS_PER_PROCESS }),
  }
  return [prlimit, ...optionsFor(wanted), '--', ...argv]
}

/** Nobody in a sandbox may raise a limit that the hub itself has. */
function optionsFor(wanted: Partial<Record<keyof typeof TITLES, number>>): string[] {
  const own = readFileSync(OWN_LIMITS, 'utf8')
  return Object.entries(wanted).map(([name, value]) => {
    const title = TITLES[name as keyof typeof TITLES]
    const hardest = Number(new RegExp(`^${title} +\\S+ +(\\d+)`, 'm').exec(own)?.[1] ?? value)
    return `--${name}=${Math.min(value, hardest)}`
  })
}

// Root is never bound by it, and older kernels count all processes of the user, in the sandbox or not.
function isCountBinding(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  const [from_major, from_minor] = COUNTS_PER_NAMESPACE_FROM
  return process.getuid?.() !== 0 && (major > from_major || (major === from_major && minor >= from_minor))
}

function checkArguments(argv: readonly string[]): void {
  const bytes = argv.reduce((sum, arg) => sum + Buffer.byteLength(arg) + 1, 0)
  if (argv[0] !== undefined && argv[0] !== '' && bytes <= ARGUMENT_BYTES_MAX && !argv.join('').includes('\0'))
    return
  throw new SandboxUnavailable('A command needs a program, no NUL, and fewer arguments than the limit.')
}
