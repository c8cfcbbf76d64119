import { spawn } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSandbox } from '../../src/platform/sandbox/open-sandbox.ts'
import { type SandboxProfile, SandboxUnavailable } from '../../src/platform/sandbox/sandbox.ts'
import { type HeldTree, holdTree, TreeBusy } from '../../src/platform/trees/hold-tree.ts'
import { makeAttacker, startAttacker } from '../toolbox/guard-races.fixture.ts'

const RUNS = 60
const LIMITS = { timeout_ms: 20_000, output_bytes: 10_000 }
const sandbox = openSandbox()

let folder: string
let project: string
let outside: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'mounts-held-')))
  project = join(folder, 'project')
  outside = join(folder, 'outside')
  mkdirSync(join(project, 'web', 'd'), { recursive: true })
  mkdirSync(outside)
  writeFileSync(join(project, 'web', 'd', '.env'), 'SECRET=inside')
  symlinkSync(outside, join(project, 'web', 'link'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function profile(more: Partial<SandboxProfile> = {}): SandboxProfile {
  return {
    mounts: [{ path: project, access: 'write' }],
    masked: [],
    overlays: [],
    read_only: [],
    network: false,
    cwd: '/usr',
    env: { PATH: '/usr/bin:/bin' },
    ...more,
  }
}

/** Runs a script over and over while two names change places; answers how many runs were started, and their output. */
async function runBesideSwaps(
  names: readonly [string, string],
  script: string,
  more: Partial<SandboxProfile>,
) {
  const attacker = await startAttacker([...makeAttacker(folder), 'exchange', ...names])
  const outputs: string[] = []
  let refused = 0
  try {
    for (let run = 0; run < RUNS; run++) {
      const ended = await sandbox
        .run(profile(more), ['/bin/sh', '-c', script], { limits: LIMITS })
        .catch((error: unknown) => error)
      if (ended instanceof SandboxUnavailable) refused++
      else outputs.push((ended as { stdout: string }).stdout)
    }
  } finally {
    attacker.child.kill('SIGTERM')
  }
  expect(await attacker.swaps).toBeGreaterThan(RUNS)
  return { outputs, refused }
}

/** Asks as often as it can, so as to be there at the very moment when the folder is free. */
async function holdSoon(path: string): Promise<HeldTree> {
  const tree = await holdTree(path, { signal: AbortSignal.timeout(20_000), patience_ms: 0 }).catch(
    (error: unknown) => {
      if (!(error instanceof TreeBusy)) throw error
    },
  )
  return tree ?? holdSoon(path)
}

test('a folder that changes places with a link is not mounted from where the link leads', async () => {
  const [d, link] = [join(project, 'web', 'd'), join(project, 'web', 'link')]
  const { outputs, refused } = await runBesideSwaps(
    [d, link],
    `for f in ${d} ${link}; do echo x > $f/planted; done 2>/dev/null; cat ${d}/.env ${link}/.env 2>/dev/null`,
    { masked: [join(d, '.env')] },
  )
  expect(readdirSync(outside)).toEqual([])
  expect(outputs.length + refused).toBe(RUNS)
  // What was run had its cover where it belongs.
  expect(outputs.filter((text) => text !== '')).toEqual([])
})

test('nothing that is to stay read-only becomes writable, or lies elsewhere, while its folder is exchanged', async () => {
  mkdirSync(join(project, 'web', 'd', '.git'))
  const [d, link] = [join(project, 'web', 'd'), join(project, 'web', 'link')]
  await runBesideSwaps(
    [d, link],
    `for f in ${d} ${link}; do echo x > $f/.git/planted; mkdir $f/.git; done 2>/dev/null`,
    { read_only: [join(d, '.git')] },
  )
  expect(readdirSync(outside)).toEqual([])
  for (const held of [d, link].filter((path) => !lstatSync(path).isSymbolicLink()))
    expect(readdirSync(join(held, '.git'))).toEqual([])
})

test('a service that is exchanged as a whole is not mounted, and neither is what stands in its place', async () => {
  const service = join(project, 'web')
  const tree = await holdTree(service, { signal: new AbortController().signal })
  const mounts = [{ path: service, access: 'write' as const, folder: tree }]
  try {
    const run = () =>
      sandbox.run(profile({ mounts }), ['/bin/sh', '-c', `echo x > ${service}/planted`], { limits: LIMITS })
    renameSync(service, join(project, 'aside'))
    symlinkSync(outside, service)
    await expect(run()).rejects.toThrow(SandboxUnavailable)
    rmSync(service)
    mkdirSync(service)
    await expect(run()).rejects.toThrow(/Another folder/)
    expect([...readdirSync(outside), ...readdirSync(service)]).toEqual([])
    rmSync(service, { recursive: true })
    renameSync(join(project, 'aside'), service)
    await run()
    expect(existsSync(join(service, 'planted'))).toBe(true)
  } finally {
    tree.release()
  }
})

test('no descriptor of a mount gets into the sandbox, nor that of a lock', async () => {
  const tree = await holdTree(project, { signal: new AbortController().signal })
  const script = 'for fd in /proc/1/fd/* /proc/self/fd/*; do readlink $fd; done'
  const masked = [join(project, 'web', 'd', '.env')]
  const { stdout } = await sandbox.run(profile({ masked }), ['/bin/sh', '-c', script], { limits: LIMITS })
  tree.release()
  const targets = new Set(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.replace(/\d+/g, 'N')),
  )
  expect(
    [...targets].filter((target) => !/^(socket|pipe|anon_inode):|^\/dev\/null$|^\/proc\/N\/fd$/.test(target)),
  ).toEqual([])
})

test('a run ends when nothing that it started is left', async () => {
  const loop = `(trap '' TERM HUP; while :; do echo x >> ${project}/log; done) > /dev/null 2>&1 &`
  const script = `${loop.repeat(8)} sleep 0.2`
  for (let round = 0; round < 8; round++) {
    await sandbox.run(profile(), ['/bin/sh', '-c', script], { limits: LIMITS })
    const { size } = statSync(join(project, 'log'))
    await new Promise((later) => setTimeout(later, 50))
    expect(statSync(join(project, 'log')).size).toBe(size)
  }
})

test('who gets the folder of a killed hub finds nothing of its commands running', async () => {
  const source = join(import.meta.dirname, '../../src/platform')
  const script = `
    import { openSandbox } from ${JSON.stringify(join(source, 'sandbox/open-sandbox.ts'))}
    import { holdTree } from ${JSON.stringify(join(source, 'trees/hold-tree.ts'))}
    await holdTree(${JSON.stringify(project)}, { signal: new AbortController().signal })
    const loop = 'echo up; while :; do for n in 1 2 3; do echo x >> ${project}/log; done; done'
    await openSandbox().run(${JSON.stringify(profile())}, ['/bin/sh', '-c', loop + ' & ' + loop], {
      limits: ${JSON.stringify(LIMITS)}, onOutput: () => console.log('up') })`
  writeFileSync(join(project, 'log'), '')
  for (let round = 0; round < 5; round++) {
    const hub = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await new Promise((said) => hub.stdout.once('data', said))
    hub.kill('SIGKILL')
    const tree = await holdSoon(project)
    const { size } = statSync(join(project, 'log'))
    await new Promise((later) => setTimeout(later, 50))
    expect(statSync(join(project, 'log')).size).toBe(size)
    tree.release()
  }
})
