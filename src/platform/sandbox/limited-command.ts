import { existsSync } from 'node:fs'
import { release } from 'node:os'
import { type CommandLimits, SandboxUnavailable } from './sandbox.ts'
import { ARGUMENT_BYTES_MAX, FILE_BYTES, THREADS_PER_PROCESS } from './sandbox-limits.ts'

const PRLIMIT_PATHS = ['/usr/bin/prlimit', '/bin/prlimit']

const COUNTS_PER_NAMESPACE_FROM = [5, 14] as const

/**
 * Puts the kernel's own limits before a command. `data` is each process's own memory: a limit on address
 * space would stop every runtime that reserves much and uses little.
 */
export function limitedCommand(argv: readonly string[], limits: CommandLimits): string[] {
  checkArguments(argv)
  const prlimit = PRLIMIT_PATHS.find((path) => existsSync(path))
  if (prlimit === undefined) return [...argv]
  const options = ['--core=0', `--fsize=${FILE_BYTES}`]
  if (limits.memory_bytes !== undefined) options.push(`--data=${limits.memory_bytes}`)
  if (limits.processes !== undefined && isCountBinding()) {
    options.push(`--nproc=${limits.processes * THREADS_PER_PROCESS}`)
  }
  return [prlimit, ...options, '--', ...argv]
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
