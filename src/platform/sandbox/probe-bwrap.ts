import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type CommandOutcome, SandboxUnavailable } from './sandbox.ts'
import { PROBE_MS } from './sandbox-limits.ts'
import { LOCK_DEVICES } from './start/bwrap-process.ts'

/** The program that makes sandboxes, as found and tried out. */
export interface Bwrap {
  readonly path: string
  /** Whether the room in its temporary folders can be bounded. */
  readonly has_size: boolean
  /** Whether it is started where `/dev` is read-only: the host's devices belong to root, and so would the command. */
  readonly locks_devices: boolean
}

const OLDEST = [0, 5] as const
const WITH_SIZE = [0, 7] as const

const INSTALL =
  'Install bubblewrap with the system’s package manager, for example: apt-get install bubblewrap.'
const UPDATE =
  'Install bubblewrap 0.10 or newer, or the one of Debian 12 (0.8.0-2+deb12u1): apt-get install bubblewrap.'
const ALLOW_NAMESPACES = [
  'Allow user namespaces for ordinary programs: sysctl kernel.unprivileged_userns_clone=1',
  'or kernel.apparmor_restrict_unprivileged_userns=0, user.max_user_namespaces above 0; in a container,',
  'give it the right to make namespaces and an unmasked /proc.',
].join(' ')

/** Finds bwrap at its fixed places and tries it out, once, with a real command. */
export async function probeBwrap(
  paths: readonly string[],
  tryOut: (bwrap: Bwrap) => Promise<CommandOutcome>,
): Promise<Bwrap> {
  if (process.platform !== 'linux') {
    throw new SandboxUnavailable(`There is no sandbox on ${process.platform}.`, 'Run the hub on Linux.')
  }
  const path = paths.find((candidate) => existsSync(candidate))
  if (path === undefined) {
    throw new SandboxUnavailable(`There is no bubblewrap at ${paths.join(' or ')}.`, INSTALL)
  }
  const version = await versionOf(path)
  if (!isAtLeast(version, OLDEST)) {
    throw new SandboxUnavailable(
      `${path} is too old: ${version.join('.')}, needed is ${OLDEST.join('.')}.`,
      INSTALL,
    )
  }
  const bwrap = { path, has_size: isAtLeast(version, WITH_SIZE), locks_devices: await canLockDevices() }
  checkTrial(await tryOut(bwrap).catch((error: unknown) => explain(error, path)))
  return bwrap
}

function checkTrial(outcome: CommandOutcome): void {
  if (outcome.ended === 'timeout') {
    throw new SandboxUnavailable(
      `The trial of the sandbox did not end within ${PROBE_MS} ms.`,
      ALLOW_NAMESPACES,
    )
  }
  if (outcome.ended === 'finished' && outcome.exit_code === 0) return
  const complaint = outcome.stderr.trim()
  throw new SandboxUnavailable(`The trial of the sandbox failed: ${complaint}`, ALLOW_NAMESPACES)
}

function explain(error: unknown, path: string): never {
  if (!(error instanceof SandboxUnavailable)) throw error
  // Its version does not say so: distributions have added it to older ones.
  if (/Unknown option --(?:ro-)?bind-fd/.test(error.message))
    throw new SandboxUnavailable(
      `${path} is too old: it cannot mount a folder that is held (--bind-fd).`,
      UPDATE,
    )
  throw new SandboxUnavailable(error.message, error.remedy ?? ALLOW_NAMESPACES)
}

// Who is not root cannot change what belongs to root. In a container root may not be allowed to make mounts.
function canLockDevices(): Promise<boolean> {
  if (process.getuid?.() !== 0) return Promise.resolve(false)
  return new Promise((resolve) => {
    const [program = '', ...args] = [...LOCK_DEVICES, '/bin/true']
    execFile(program, args, { env: {}, timeout: PROBE_MS }, (error) => resolve(error === null))
  })
}

function versionOf(path: string): Promise<number[]> {
  return new Promise((resolve, reject) => {
    execFile(path, ['--version'], { env: {}, timeout: PROBE_MS, maxBuffer: 4096 }, (error, stdout) => {
      const numbers = /(\d+)\.(\d+)/.exec(stdout)?.slice(1).map(Number)
      if (error === null && numbers !== undefined) return resolve(numbers)
      reject(new SandboxUnavailable(`${path} does not tell its version.`, INSTALL))
    })
  })
}

function isAtLeast(
  [major = 0, minor = 0]: readonly number[],
  [least_major, least_minor]: readonly [number, number],
): boolean {
  return major > least_major || (major === least_major && minor >= least_minor)
}
