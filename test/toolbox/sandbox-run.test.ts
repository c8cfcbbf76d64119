import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSandbox } from '../../src/platform/sandbox/open-sandbox.ts'
import type { CommandLimits, CommandOptions, SandboxProfile } from '../../src/platform/sandbox/sandbox.ts'
import { SandboxUnavailable } from '../../src/platform/sandbox/sandbox.ts'
import { FILE_BYTES } from '../../src/platform/sandbox/sandbox-limits.ts'
import { verifies } from '../requirements/verifies.ts'

const LIMITS: CommandLimits = { timeout_ms: 20_000, output_bytes: 10_000 }
const sandbox = openSandbox()
let folder: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sandbox-run-')))
})
afterEach(() => {
  chmodSync(folder, 0o700)
  rmSync(folder, { recursive: true, force: true })
})

function profile(more: Partial<SandboxProfile> = {}): SandboxProfile {
  return {
    mounts: [{ path: folder, access: 'write' }],
    masked: [],
    overlays: [],
    read_only: [],
    network: false,
    cwd: folder,
    env: { PATH: '/usr/bin:/bin' },
    ...more,
  }
}

function shell(script: string, more: Partial<SandboxProfile> = {}, options: Partial<CommandOptions> = {}) {
  return sandbox.run(profile(more), ['/bin/sh', '-c', script], { limits: LIMITS, ...options })
}

/** How long a command may sleep: a number that no other process of this machine has, by which it is found. */
function ownSeconds(): string {
  return `4711.${process.pid}${randomInt(1_000_000_000)}`
}

/** The beginning of a hub's program. */
function importSandbox(): string {
  const place = join(import.meta.dirname, '../../src/platform/sandbox')
  return `import { openSandbox } from '${place}/open-sandbox.ts'`
}

/** Processes of this machine whose command line holds a text; it has to be one of this run's own. */
function processesWith(text: string): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text)
    } catch {
      return false
    }
  })
}

test('a command gets its arguments as they are, its environment alone, and an empty input', async () => {
  const argv = ['/usr/bin/printf', '%s|', '$HOME', '; id', '*', 'ü\n']
  const outcome = await sandbox.run(profile(), argv, { limits: LIMITS })
  expect(outcome).toMatchObject({ ended: 'finished', exit_code: 0, stdout: '$HOME|; id|*|ü\n|', stderr: '' })
  expect((await shell('env; cat; pwd')).stdout.trim().split('\n').toSorted()).toEqual(
    [folder, `PWD=${folder}`, 'PATH=/usr/bin:/bin'].toSorted(),
  )
  expect((await shell('cat; exit 7', {}, { stdin: 'given' })).stdout).toBe('given')
})

test('exit codes and killed commands are told apart from a sandbox that could not be set up', async () => {
  expect(await shell('exit 7')).toMatchObject({ ended: 'finished', exit_code: 7 })
  expect((await shell('kill -9 $$')).exit_code).toBe(137)
  const nowhere = shell('true', { mounts: [{ path: join(folder, 'missing'), access: 'read' }] })
  await expect(nowhere).rejects.toThrow(SandboxUnavailable)
  await expect(nowhere).rejects.toThrow(/missing does not exist/)
  // By then bwrap has named its child, but never came to start the command.
  const unreachable = shell('true', { mounts: [] })
  await expect(unreachable).rejects.toThrow(SandboxUnavailable)
  await expect(unreachable).rejects.toThrow(/chdir/)
})

test('output is kept up to the limit in whole characters, and counted beyond', async () => {
  const limits = { ...LIMITS, output_bytes: 1001 }
  const outcome = await shell(
    'i=0; while [ $i -lt 1000 ]; do printf "é€😀"; i=$((i+1)); done',
    {},
    { limits },
  )
  expect(outcome.ended).toBe('finished')
  expect(outcome.stdout).toBe(`${'é€😀'.repeat(111)}é`)
  expect(outcome.dropped_bytes).toBe(9000 - 1001)
})

test('both ends of a long output are kept when asked for', async () => {
  const limits = { ...LIMITS, output_bytes: 100, keep: 'both_ends' as const }
  const outcome = await shell('i=0; while [ $i -lt 200 ]; do echo $i; i=$((i+1)); done', {}, { limits })
  expect(outcome.stdout).toMatch(/^0\n1\n2\n[\s\S]*… \d+ bytes left out …[\s\S]*198\n199\n$/)
})

test('a flood of output ends its command', async () => {
  const seen: string[] = []
  const onOutput = (_stream: string, text: string): void => void seen.push(text)
  const flood = `flood-${ownSeconds()}`
  const outcome = await shell(`yes ${flood}`, {}, { limits: { ...LIMITS, output_bytes: 4096 }, onOutput })
  expect(outcome).toMatchObject({ ended: 'output_limit', exit_code: null })
  expect(outcome.stdout).toHaveLength(4096)
  expect(seen.join('')).toBe(outcome.stdout)
  expect(processesWith(flood)).toEqual([])
})

verifies('TOOL-100', 'a timeout ends the whole process group, politely first', async () => {
  const [heard, unheard] = [ownSeconds(), ownSeconds()]
  const sleep = `trap 'echo got the signal; exit 0' TERM; sleep ${heard} & wait`
  const outcome = await shell(sleep, {}, { limits: { ...LIMITS, timeout_ms: 3000 } })
  expect(outcome).toMatchObject({ ended: 'timeout', exit_code: null, stdout: 'got the signal\n' })
  const deaf = await shell(
    `trap '' TERM; while :; do sleep ${unheard}; done`,
    {},
    { limits: { ...LIMITS, timeout_ms: 500 } },
  )
  expect(deaf.ended).toBe('timeout')
  expect([...processesWith(heard), ...processesWith(unheard)]).toEqual([])
})

test('a call that nobody waits for is stopped, or not even begun', async () => {
  const controller = new AbortController()
  const seconds = ownSeconds()
  let alive: string[] = []
  const onOutput = () => {
    alive = processesWith(seconds)
    controller.abort()
  }
  const running = shell(`echo up; sleep ${seconds}`, {}, { signal: controller.signal, onOutput })
  expect(await running).toMatchObject({ ended: 'cancelled', exit_code: null, stdout: 'up\n' })
  expect(alive).not.toEqual([])
  expect(processesWith(seconds)).toEqual([])
  const late = await shell(`touch ${folder}/begun`, {}, { signal: controller.signal })
  expect(late.ended).toBe('cancelled')
  expect(readdirSync(folder)).toEqual([])
})

test('too many processes and too much memory end a command', async () => {
  const limits = { ...LIMITS, processes: 60, memory_bytes: 512 * 1024 * 1024 }
  const seconds = ownSeconds()
  const crowd = await shell(
    `i=0; while [ $i -lt 300 ]; do sleep ${seconds} & i=$((i+1)); done; wait`,
    {},
    { limits },
  )
  expect(crowd).toMatchObject({ exit_code: null, limit_hit: 'processes' })
  expect(processesWith(seconds)).toEqual([])
  const one = await shell(`perl -e '$x = "x" x (1 << 30); print length $x'`, {}, { limits })
  expect(one.stdout).toBe('')
  expect(one.exit_code).not.toBe(0)
  const eater = `perl -e '$x = "x" x (150 << 20); sleep 4715' & `
  const many = await shell(`${eater.repeat(6)} wait`, {}, { limits })
  expect(many).toMatchObject({ limit_hit: 'memory' })
})

test('a command has no rights of root, whoever runs the hub, and limits of the kernel', async () => {
  const { stdout } = await shell(
    'grep -hE "^Cap(Inh|Prm|Eff|Bnd|Amb)" /proc/self/status; ulimit -c; ulimit -f',
  )
  const [rights, limits] = [stdout.trim().split('\n').slice(0, 5), stdout.trim().split('\n').slice(5)]
  expect(rights.map((line) => line.replace(/^Cap...:\s*0+$/, 'none'))).toEqual(Array(5).fill('none'))
  // A shell counts blocks of 512 bytes.
  expect(limits).toEqual(['0', String(FILE_BYTES / 512)])
})

test('a killed hub takes its commands with it, and the next one tidies up', async () => {
  const masked = [`${folder}/.env`, `${folder}/.git/`]
  const seconds = ownSeconds()
  const script = `
    ${importSandbox()}
    const run = openSandbox().run(${JSON.stringify(profile({ masked }))}, ['/bin/sh', '-c', 'echo up; sleep ${seconds}'], {
      limits: ${JSON.stringify(LIMITS)}, onOutput: () => process.kill(process.pid, 'SIGKILL') })
    await run`
  const hub = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], { stdio: 'ignore' })
  const signal = await new Promise((ended) => hub.once('exit', (_code, by) => ended(by)))
  expect(signal).toBe('SIGKILL')
  await expect.poll(() => processesWith(seconds), { timeout: 10_000 }).toEqual([])
  expect(readdirSync(folder).toSorted()).toEqual(['.env', '.git'])
  await shell('true', { masked })
  expect(readdirSync(folder)).toEqual([])
})

test('a folder that the hub was started with left open does not get inside', async () => {
  const script = `
    ${importSandbox()}
    const { stdout } = await openSandbox().run(${JSON.stringify(profile())}, ['/bin/ls', '-l', '/proc/self/fd'], {
      limits: ${JSON.stringify(LIMITS)} })
    console.log(stdout)`
  const outside = openSync('/etc', 'r')
  const unused = Array.from({ length: 37 }, () => 'ignore' as const)
  const stdio = ['ignore' as const, 'pipe' as const, ...unused, outside]
  const hub = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], { stdio })
  closeSync(outside)
  let listed = ''
  hub.stdout?.on('data', (piece: Buffer) => (listed += piece.toString('utf8')))
  await new Promise((ended) => hub.once('close', ended))
  expect(listed).toContain(' 0 -> /dev/null')
  expect(/ 39 -> (.*)/.exec(listed)?.[1]).toBe('/dev/null')
  expect(listed).not.toContain('/etc')
})

test('names to cover that are not there are held, counted and cleaned up', async () => {
  const masked = [`${folder}/.env`, `${folder}/.git/`, `${folder}/not/there/yet`]
  const script = 'ls -A; touch .env/x .git/x not/x 2>/dev/null; sleep 0.4; ls -A'
  const runs = await Promise.all([
    shell(script, { masked }),
    shell('ls -A', { masked }),
    shell(script, { masked }),
  ])
  for (const { stdout } of runs)
    expect(new Set(stdout.trim().split('\n'))).toEqual(new Set(['.env', '.git', 'not']))
  expect(readdirSync(folder)).toEqual([])
})

test('an honest empty file under a covered name stays', async () => {
  writeFileSync(join(folder, '.npmrc'), '', { mode: 0o444 })
  const { stdout } = await shell('ls -A', { masked: [`${folder}/.env`, `${folder}/.npmrc`] })
  expect(stdout).toBe('.env\n.npmrc\n')
  expect(readdirSync(folder)).toEqual(['.npmrc'])
})

test('a folder that is named through a link is there under both names', async () => {
  mkdirSync(join(folder, 'real'))
  symlinkSync(join(folder, 'real'), join(folder, 'link'))
  const path = join(folder, 'link')
  const { stdout } = await shell(`touch ${path}/.env ${path}/b 2>/dev/null; pwd; ls -A ${path}`, {
    mounts: [{ path, access: 'write' }],
    masked: [`${path}/.env`],
    cwd: path,
  })
  expect(stdout).toBe(`${join(folder, 'real')}\n.env\nb\n`)
  expect(readdirSync(join(folder, 'real'))).toEqual(['b'])
})

test('parts of a writable folder can be read-only, and files be put over others', async () => {
  for (const name of ['kept', 'shown']) writeFileSync(join(folder, name), name)
  writeFileSync(join(folder, 'config'), 'theirs')
  const overlays = [{ content_path: join(folder, 'shown'), at: join(folder, 'config') }]
  const read_only = [join(folder, 'kept'), `${folder}/later/`]
  const { stdout } = await shell(
    'cat config; for f in kept config later later/x; do touch -c $f 2>/dev/null; (echo x > $f) 2>/dev/null && echo wrote $f; done',
    { overlays, read_only },
  )
  expect(stdout).toBe('shown')
  expect(readFileSync(join(folder, 'config'), 'utf8')).toBe('theirs')
  expect(readdirSync(folder).toSorted()).toEqual(['config', 'kept', 'shown'])
})

test('a sandbox that cannot be had says why and what to do', async () => {
  const fake = (name: string, script: string): string => {
    const path = join(folder, name)
    writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    return path
  }
  const version = '[ "$1" = --version ] && echo "bubblewrap 0.8.0" && exit 0'
  const forbidden = fake('forbidden', `${version}; echo "bwrap: Creating new namespace failed" >&2; exit 1`)
  const by_name = fake('by-name', `${version}; echo "bwrap: Unknown option --ro-bind-fd" >&2; exit 1`)
  const failing = [
    { bwrap: join(folder, 'missing'), reason: /no bubblewrap at/, remedy: /apt-get install bubblewrap/ },
    { bwrap: fake('old', 'echo bubblewrap 0.3.1'), reason: /too old: 0.3/, remedy: /Install bubblewrap/ },
    { bwrap: by_name, reason: /too old: it cannot mount a folder that is held/, remedy: /bubblewrap 0\.10/ },
    { bwrap: forbidden, reason: /Creating new namespace failed/, remedy: /user namespaces/ },
    { bwrap: fake('silent', 'exit 0'), reason: /does not tell its version/, remedy: /Install/ },
  ]
  for (const { bwrap, reason, remedy } of failing) {
    const broken = openSandbox({ bwrap_paths: [bwrap] })
    const fault = await broken.require().catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(SandboxUnavailable)
    expect(fault).toMatchObject({
      message: expect.stringMatching(reason),
      remedy: expect.stringMatching(remedy),
    })
    const run = broken.run(profile(), ['/bin/touch', 'ran'], { limits: LIMITS })
    await expect(run).rejects.toBeInstanceOf(SandboxUnavailable)
  }
  expect(readdirSync(folder)).not.toContain('ran')
})
