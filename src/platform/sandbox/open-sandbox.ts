import { realpathSync } from 'node:fs'
import { commandChannel } from './command-channel.ts'
import { findControlGroup, KERNEL_LIMITS_FIX } from './kernel/find-control-group.ts'
import { type LimitGroup, makeLimitGroup } from './kernel/limit-group.ts'
import { limitedCommand } from './limited-command.ts'
import { prepareProfile } from './prepare-profile.ts'
import { type Bwrap, probeBwrap } from './probe-bwrap.ts'
import { runJailed } from './run-jailed.ts'
import type {
  CommandLimits,
  CommandOptions,
  CommandOutcome,
  LimitedSandbox,
  LimitKeeper,
  SandboxProfile,
} from './sandbox.ts'
import { PROBE_MS } from './sandbox-limits.ts'
import { FILTER_FD, FIRST_GIVEN_FD, GATE_FD, STATUS_FD } from './start/bwrap-process.ts'
import { type GivenDescriptors, openGivenDescriptors } from './start/given-descriptors.ts'
import { systemCallFilter } from './system-call-filter.ts'
import { bareArguments, madeUpFiles, systemArguments } from './system-folders.ts'

// Never looked for on a PATH, and never in a service.
const BWRAP_PATHS = ['/usr/bin/bwrap', '/usr/local/bin/bwrap']

// A mask is part of the trial: it takes the same kinds of mount as every later run.
const TRIAL: SandboxProfile = {
  mounts: [],
  masked: ['/usr/share'],
  overlays: [],
  read_only: [],
  network: false,
  cwd: '/usr',
  env: {},
}
const TRIAL_LIMITS = { timeout_ms: PROBE_MS, output_bytes: 4096, memory_bytes: 1024 ** 3 }

const SEPARATE = [
  '--unshare-all',
  '--hostname',
  'sandbox',
  '--cap-drop',
  'ALL',
  '--die-with-parent',
  '--new-session',
  '--clearenv',
]

export interface SandboxOptions {
  readonly bwrap_paths?: readonly string[]
  /** Where the kernel keeps limits; `false` has them watched even where it could. */
  readonly kernel_limits?: false
}

/** A sandbox made by bubblewrap. It is tried out once, when it is first needed. */
export function openSandbox(options: SandboxOptions = {}): LimitedSandbox {
  let probed: Promise<Bwrap> | undefined
  const requireBwrap = (): Promise<Bwrap> => {
    // What failed may be mended while the hub runs, so only success is remembered.
    probed ??= probeBwrap(options.bwrap_paths ?? BWRAP_PATHS, tryOut).catch((error: unknown) => {
      probed = undefined
      throw error
    })
    return probed
  }
  let keeper: LimitKeeper | undefined
  const limitKeeper = (): LimitKeeper => {
    keeper ??= options.kernel_limits === false ? watched('the kernel is not asked') : findControlGroup()
    return keeper
  }
  return {
    require: async () => void (await requireBwrap()),
    run: async (profile, argv, command) => {
      const bwrap = await requireBwrap()
      const group = profile.bare ? undefined : groupFor(limitKeeper(), command.limits)
      commandChannel.publish({ event: 'begun' })
      try {
        return await runIn(bwrap, profile, argv, command, group)
      } finally {
        commandChannel.publish({ event: 'ended' })
        group?.remove()
      }
    },
    limitKeeper: () => triedOut(limitKeeper()),
  }
}

function tryOut(bwrap: Bwrap): Promise<CommandOutcome> {
  return runIn(bwrap, TRIAL, ['/bin/true'], { limits: TRIAL_LIMITS })
}

// Without a group the limits are watched.
function groupFor(keeper: LimitKeeper, limits: CommandLimits): LimitGroup | undefined {
  const has_limits = limits.memory_bytes !== undefined || limits.processes !== undefined
  if (keeper.kind !== 'kernel' || !has_limits) return undefined
  try {
    return makeLimitGroup(keeper.folder, limits)
  } catch {
    return undefined
  }
}

// Whether a group can really be made is seen by making one.
function triedOut(keeper: LimitKeeper): LimitKeeper {
  if (keeper.kind === 'watcher') return keeper
  try {
    makeLimitGroup(keeper.folder, TRIAL_LIMITS).remove()
    return keeper
  } catch (error) {
    return watched(`no control group can be made: ${(error as Error).message}`)
  }
}

function watched(reason: string): LimitKeeper {
  return { kind: 'watcher', reason, fix: KERNEL_LIMITS_FIX }
}

async function runIn(
  bwrap: Bwrap,
  profile: SandboxProfile,
  argv: readonly string[],
  options: CommandOptions,
  group?: LimitGroup,
): Promise<CommandOutcome> {
  const command = profile.bare ? [...argv] : limitedCommand(argv, options.limits)
  const given = openGivenDescriptors(FIRST_GIVEN_FD)
  const prepared = prepareProfile(profile, given)
  try {
    const filter = systemCallFilter(profile.network)
    const args = [
      ...SEPARATE,
      ...(profile.network ? ['--share-net'] : []),
      ...Object.entries(profile.env).flatMap(([name, value]) => ['--setenv', name, value]),
      '--json-status-fd',
      String(STATUS_FD),
      '--block-fd',
      String(GATE_FD),
      ...(filter === undefined ? [] : ['--seccomp', String(FILTER_FD)]),
      ...(profile.bare
        ? bareArguments(given)
        : [
            ...systemArguments({ network: profile.network, has_size: bwrap.has_size }, given),
            ...madeUpArguments(profile.network, given),
          ]),
      ...prepared.args,
      '--remount-ro',
      '/',
      '--chdir',
      prepared.cwd,
    ]
    return await runJailed(
      {
        bwrap_path: bwrap.path,
        args,
        command,
        filter,
        given: given.all,
        mounts: prepared.mounts,
        stdin: options.stdin,
        group_entry: group?.entry,
        is_expendable: !profile.bare,
        locks_devices: bwrap.locks_devices,
      },
      options,
      { group, writable: writableIn(profile) },
    )
  } finally {
    prepared.release()
  }
}

function writableIn({ mounts }: SandboxProfile): string[] {
  const writable = mounts.filter(({ access }) => access === 'write')
  return writable.map(({ path, content_path }) => realpathSync(content_path ?? path))
}

function madeUpArguments(network: boolean, given: GivenDescriptors): string[] {
  const files = madeUpFiles(process.getuid?.() ?? 0, process.getgid?.() ?? 0, network)
  return files.flatMap(({ at, content }) => [
    '--perms',
    '0444',
    '--ro-bind-data',
    String(given.addContent(content)),
    at,
  ])
}
