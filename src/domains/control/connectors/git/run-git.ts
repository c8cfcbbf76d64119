import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openSandbox } from '../../../../platform/sandbox/open-sandbox.ts'
import { type CommandOutcome, SandboxUnavailable } from '../../../../platform/sandbox/sandbox.ts'
import { SourceFault } from '../connector.ts'
import type { GitRemote } from './git-remote.ts'
import type { GitScratch } from './git-scratch.ts'

const GIT_PLACES = ['/usr/bin/git', '/usr/local/bin/git']
const TIMEOUT_MS = 600_000
const OUTPUT_BYTES = 16 * 1024 * 1024
const MEMORY_BYTES = 2 * 1024 ** 3
/** A repository may take this much room while it is read. */
const MAX_REPOSITORY_BYTES = 1024 ** 3
const SIZE_EVERY_MS = 500
/** Git connects to a given address since this version. */
const NEEDED_VERSION = [2, 37] as const

/** Where git runs, for as long as one run takes. */
export interface GitPlace {
  readonly scratch: GitScratch
  readonly remote: GitRemote
  readonly signal: AbortSignal
}

export interface GitCommand {
  readonly args: readonly string[]
  readonly stdin?: string
  /** Whether it talks to the repository's own place. */
  readonly is_remote?: boolean
  /** Whether the bytes it writes go to the scratch file instead of into the answer. */
  readonly to_file?: boolean
}

/** Runs git in the sandbox: it sees the scratch folder and, where that is the source, the one folder. */
export async function runGit(place: GitPlace, command: GitCommand): Promise<string> {
  const outcome = await tryGit(place, command)
  if (outcome.exit_code === 0 && outcome.dropped_bytes === 0) return outcome.stdout
  throw faultOf(outcome)
}

/** The same for a command whose failing says something too. */
export async function tryGit(place: GitPlace, command: GitCommand): Promise<CommandOutcome> {
  const { scratch, signal } = place
  const watch = new AbortController()
  const timer = setInterval(() => {
    if (sizeOf(scratch) > MAX_REPOSITORY_BYTES) watch.abort(tooLarge())
  }, SIZE_EVERY_MS)
  try {
    const outcome = await openSandbox().run(profileFor(place, command), argvFor(place, command), {
      limits: { timeout_ms: TIMEOUT_MS, output_bytes: OUTPUT_BYTES, memory_bytes: MEMORY_BYTES },
      signal: AbortSignal.any([signal, watch.signal]),
      ...(command.stdin !== undefined && { stdin: command.stdin }),
    })
    signal.throwIfAborted()
    watch.signal.throwIfAborted()
    return outcome
  } catch (error) {
    throw error instanceof SandboxUnavailable ? noSandbox(error) : error
  } finally {
    clearInterval(timer)
  }
}

function argvFor({ scratch }: GitPlace, { args, to_file }: GitCommand): string[] {
  const git = GIT_PLACES.find((path) => existsSync(path))
  if (git === undefined) throw new SourceFault('refused', 'git is not installed on the machine of the hub.')
  const argv = [git, '--no-pager', `--git-dir=${scratch.repository}`, ...args]
  // Bytes that are no text do not survive as an answer.
  return to_file
    ? ['/bin/sh', '-c', 'out=$1; shift; exec "$@" > "$out"', 'sh', scratch.output, ...argv]
    : argv
}

function profileFor({ scratch, remote }: GitPlace, { is_remote }: GitCommand) {
  const sees =
    is_remote && remote.folder !== undefined
      ? [{ path: remote.folder, access: 'read' as const, is_real: true }]
      : []
  return {
    mounts: [{ path: scratch.folder, access: 'write' as const }, ...sees],
    masked: [],
    overlays: [],
    read_only: [scratch.config],
    network: is_remote === true && remote.folder === undefined,
    cwd: scratch.folder,
    env: environment(scratch, is_remote ? remote.protocols : 'none'),
  }
}

function environment(scratch: GitScratch, protocols: string): Record<string, string> {
  return {
    PATH: '/usr/bin:/bin',
    HOME: '/nonexistent',
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: scratch.config,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_ALLOW_PROTOCOL: protocols,
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ASKPASS: '/bin/false',
    SSH_ASKPASS: '/bin/false',
    GIT_SSH_COMMAND: '/bin/false',
  }
}

/** Git before this version would ask for the address of a name by itself. */
export async function checkVersion(place: GitPlace): Promise<void> {
  const [, major = '0', minor = '0'] =
    /git version (\d{1,4})\.(\d{1,4})/.exec(await runGit(place, { args: ['version'] })) ?? []
  const isNew =
    Number(major) > NEEDED_VERSION[0] ||
    (Number(major) === NEEDED_VERSION[0] && Number(minor) >= NEEDED_VERSION[1])
  if (!isNew) throw new SourceFault('refused', `git ${NEEDED_VERSION.join('.')} or newer is needed.`)
}

function sizeOf({ repository }: GitScratch): number {
  const folder = join(repository, 'objects', 'pack')
  try {
    const sizes = readdirSync(folder).map(
      (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size,
    )
    return sizes.reduce<number>((sum, size = 0) => sum + size, 0)
  } catch {
    return 0 // Nothing there yet.
  }
}

/** What went wrong, in words of our own: git repeats addresses, and the other side's texts. */
function faultOf({ ended, limit_hit, dropped_bytes, stderr }: CommandOutcome): SourceFault {
  if (ended === 'timeout') return new SourceFault('unreachable', 'The repository took too long to read.')
  if (ended === 'output_limit' || limit_hit || dropped_bytes > 0) return tooLarge()
  if (/Authentication failed|could not read (?:Username|Password)|returned error: 40[13]/i.test(stderr)) {
    return new SourceFault(
      'needs_attention',
      'The repository does not accept the credential, or asks for one.',
    )
  }
  if (/not found|does not exist|not appear to be a git repository|couldn't find remote ref/i.test(stderr)) {
    return new SourceFault('not_found', 'The repository, or its branch, is not there.')
  }
  if (/resolve host|Failed to connect|timed out|Connection|returned error: 5\d\d|Empty reply/i.test(stderr)) {
    return new SourceFault('unreachable', 'The repository could not be reached.')
  }
  return new SourceFault('bad_answer', 'The repository could not be read.')
}

function tooLarge(): SourceFault {
  return new SourceFault('too_large', 'The repository is larger than is allowed.')
}

function noSandbox({ remedy }: SandboxUnavailable): SourceFault {
  const how = remedy === undefined ? '' : ` ${remedy}`
  return new SourceFault('refused', `Repositories are read in a sandbox, and there is none here.${how}`)
}
