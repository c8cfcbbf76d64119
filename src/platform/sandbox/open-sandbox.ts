import { FILTER_FD, FIRST_CONTENT_FD, STATUS_FD } from './bwrap-process.ts'
import { limitedCommand } from './limited-command.ts'
import { prepareProfile } from './prepare-profile.ts'
import { type Bwrap, probeBwrap } from './probe-bwrap.ts'
import { runJailed } from './run-jailed.ts'
import type { CommandOptions, CommandOutcome, Sandbox, SandboxProfile } from './sandbox.ts'
import { PROBE_MS } from './sandbox-limits.ts'
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

/** A sandbox made by bubblewrap. It is tried out once, when it is first needed. */
export function openSandbox(options: { bwrap_paths?: readonly string[] } = {}): Sandbox {
  let probed: Promise<Bwrap> | undefined
  const requireBwrap = (): Promise<Bwrap> => {
    // What failed may be mended while the hub runs, so only success is remembered.
    probed ??= probeBwrap(options.bwrap_paths ?? BWRAP_PATHS, tryOut).catch((error: unknown) => {
      probed = undefined
      throw error
    })
    return probed
  }
  return {
    require: async () => void (await requireBwrap()),
    run: async (profile, argv, command) => runIn(await requireBwrap(), profile, argv, command),
  }
}

function tryOut(bwrap: Bwrap): Promise<CommandOutcome> {
  return runIn(bwrap, TRIAL, ['/bin/true'], { limits: TRIAL_LIMITS })
}

async function runIn(
  bwrap: Bwrap,
  profile: SandboxProfile,
  argv: readonly string[],
  options: CommandOptions,
): Promise<CommandOutcome> {
  const command = profile.bare ? [...argv] : limitedCommand(argv, options.limits)
  const contents: string[] = []
  const addContent = (content: string): number => FIRST_CONTENT_FD + contents.push(content) - 1
  const prepared = prepareProfile(profile, addContent)
  try {
    const filter = systemCallFilter(profile.network)
    const args = [
      ...SEPARATE,
      ...(profile.network ? ['--share-net'] : []),
      ...Object.entries(profile.env).flatMap(([name, value]) => ['--setenv', name, value]),
      '--json-status-fd',
      String(STATUS_FD),
      ...(filter === undefined ? [] : ['--seccomp', String(FILTER_FD)]),
      ...(profile.bare
        ? bareArguments()
        : [
            ...systemArguments(profile.network, bwrap.has_size),
            ...madeUpArguments(profile.network, addContent),
          ]),
      ...prepared.args,
      '--remount-ro',
      '/',
      '--chdir',
      prepared.cwd,
    ]
    return await runJailed(
      { bwrap_path: bwrap.path, args, command, filter, contents, stdin: options.stdin },
      options,
    )
  } finally {
    prepared.release()
  }
}

function madeUpArguments(network: boolean, addContent: (content: string) => number): string[] {
  const files = madeUpFiles(process.getuid?.() ?? 0, process.getgid?.() ?? 0, network)
  return files.flatMap(({ at, content }) => [
    '--perms',
    '0444',
    '--ro-bind-data',
    String(addContent(content)),
    at,
  ])
}
