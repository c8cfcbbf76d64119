import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { systemCtlTool } from '../../src/domains/toolbox/system/system-ctl.ts'
import { systemRunner } from '../../src/domains/toolbox/system/system-runner.ts'
import { verifyBinaryTool } from '../../src/domains/toolbox/system/verify-binary.ts'
import { verifies } from '../requirements/verifies.ts'
import { temporaryFolder } from '../store/temporary-folder.ts'
import { callTool, faultOf, stubMachine } from './system-call.fixture.ts'

/** The processes that have noted their numbers. */
function pidsIn({ folder }: { folder: string }): number[] {
  const noted = readdirSync(folder).filter((name) => name.endsWith('.pid'))
  return noted.map((name) => Number.parseInt(name, 10))
}

async function untilGone(pids: readonly number[]): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (pids.every((pid) => !isAlive(pid))) return
    await pause(50)
  }
  throw new Error('A process is left.')
}

/** A process that has ended may keep its number until someone takes note of it. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

async function untilBothRun(machine: { folder: string }): Promise<number[]> {
  for (let tries = 0; tries < 400; tries++) {
    if (pidsIn(machine).length === 2) return pidsIn(machine)
    await pause(50)
  }
  throw new Error('The processes did not start.')
}

/** Two processes that note their numbers and would go on for a minute. */
const stuckScript = (folder: string) => `#!/bin/sh
/bin/sh -c 'touch ${folder}/$$.pid; sleep 60' &
touch ${folder}/$$.pid
sleep 60
`
function stuck() {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'stuck'), stuckScript(folder))
  chmodSync(join(folder, 'stuck'), 0o755)
  return { folder, runner: systemRunner({ path: [folder, '/usr/bin', '/bin'] }) }
}

describe('the runner', () => {
  const NEVER = new AbortController().signal
  test('ends a command that takes too long, with all it started', async () => {
    const machine = stuck()
    const options = { timeout_ms: 3_000, signal: NEVER }
    expect(await machine.runner.run([join(machine.folder, 'stuck')], options)).toMatchObject({
      ended: 'timeout',
      exit_code: null,
    })
    await untilGone(pidsIn(machine))
  })

  verifies('TOOL-100', 'ends what a command left running behind it', async () => {
    const machine = stuck()
    const leaver = join(machine.folder, 'leaver')
    // It ends only when the other is there to be left.
    const other = `/bin/sh -c 'touch ${machine.folder}/$$.pid; exec sleep 60' > /dev/null 2>&1 &`
    const wait = `until ls ${machine.folder}/*.pid > /dev/null 2>&1; do sleep 0.02; done`
    writeFileSync(leaver, `#!/bin/sh\n${other}\n${wait}\n`, { mode: 0o755 })
    const outcome = await machine.runner.run([leaver], { timeout_ms: 60_000, signal: NEVER })
    expect(outcome).toMatchObject({ ended: 'finished', exit_code: 0 })
    expect(pidsIn(machine)).toHaveLength(1)
    await untilGone(pidsIn(machine))
  })

  test('ends a command that nobody waits for any more', async () => {
    const machine = stuck()
    const leaving = new AbortController()
    const running = machine.runner.run([join(machine.folder, 'stuck')], {
      timeout_ms: 60_000,
      signal: leaving.signal,
    })
    const pids = await untilBothRun(machine)
    leaving.abort()
    expect((await running).ended).toBe('cancelled')
    await untilGone(pids)
  })

  test('keeps the end of a long output and says how much went before', async () => {
    const machine = stubMachine({
      loud: 'i=0; while [ $i -lt 3000 ]; do echo "line $i 01234567890123456789012345678901234567890"; i=$((i+1)); done',
    })
    const outcome = await machine.runner.run([join(machine.folder, 'loud')], {
      timeout_ms: 20_000,
      signal: NEVER,
    })
    expect(outcome).toMatchObject({ ended: 'finished', exit_code: 0 })
    expect(outcome.stdout.length).toBeGreaterThan(65_536 - 50)
    expect(outcome.stdout.length).toBeLessThanOrEqual(65_536)
    // A word that lost its beginning could be half of a secret.
    expect(outcome.stdout).toMatch(/^\s/)
    expect(outcome.stdout).toMatch(/line 2999 \d+\n$/)
    expect(outcome.dropped_bytes).toBeGreaterThan(65_536)
  })

  test('leaves no home behind, also when there was nothing to start', async () => {
    const folder = temporaryFolder()
    const { runner } = stubMachine({})
    vi.stubEnv('TMPDIR', folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    const options = { timeout_ms: 20_000, signal: NEVER }
    expect((await runner.run(['/bin/sh', '-c', 'echo "$HOME"'], options)).stdout).toContain(`${folder}/`)
    await expect(runner.run(['/nowhere/at/all'], options)).rejects.toThrow('ENOENT')
    expect(readdirSync(folder)).toEqual([])
  })
})

function verify(path: readonly string[], binary_name: string) {
  return callTool(verifyBinaryTool({ path }), { binary_name })
}

describe('verify_binary', () => {
  verifies('TOOL-118', 'finds programs of the machine by their bare names', async () => {
    const tool = verifyBinaryTool()
    expect(await callTool(tool, { binary_name: 'sh' })).toMatchObject({ exists: true, runnable: true })
    expect((await callTool(tool, { binary_name: 'sh' })).path).toMatch(/^\/.*\/sh$/)
    expect(await callTool(tool, { binary_name: 'surely-not-there' })).toEqual({
      exists: false,
      runnable: false,
      path: null,
    })
    for (const binary_name of ['../x', '/bin/sh', 'bin/sh', '..', '.', '', '-x', 'a b', 'a;b', 'a\0', 'a\\b'])
      expect(await faultOf(callTool(tool, { binary_name }))).toMatchObject({ code: 'ValidationError' })
  })

  verifies('TOOL-118', 'starts nothing, and tells a program from a file that is none', async () => {
    const machine = stubMachine({ script: 'echo started' })
    const put = (name: string, content: string, mode: number) => {
      writeFileSync(join(machine.folder, name), content)
      chmodSync(join(machine.folder, name), mode)
    }
    put('text', 'just a text', 0o755)
    put('closed', '#!/bin/sh\n', 0o644)
    put('lost', '#!/nowhere/at/all\n', 0o755)
    put('empty', '', 0o755)
    const path = [machine.folder]
    expect(await verify(path, 'script')).toEqual({
      exists: true,
      runnable: true,
      path: join(machine.folder, 'script'),
    })
    for (const name of ['text', 'closed', 'lost', 'empty'])
      expect(await verify(path, name)).toEqual({
        exists: true,
        runnable: false,
        path: join(machine.folder, name),
      })
    expect(await verify(path, 'log')).toMatchObject({ exists: false })
    expect(machine.started()).toEqual([])
  })

  test('takes the first that can be run, as a shell would', async () => {
    const [first, second] = [temporaryFolder(), stubMachine({ tool: '' }).folder]
    writeFileSync(join(first, 'tool'), 'no program')
    expect(await verify([first, second], 'tool')).toMatchObject({
      path: join(second, 'tool'),
      runnable: true,
    })
    expect(await verify([first], 'tool')).toMatchObject({ path: join(first, 'tool'), runnable: false })
  })
})

describe('system_ctl', () => {
  const config = { system: { services: ['docker.service'] }, sudo: { binaries: ['systemctl'] } }
  const control = (
    machine: { runner: Parameters<typeof systemCtlTool>[0] },
    input: object,
    own: object = config,
  ) => callTool(systemCtlTool(machine.runner), { ...input }, { config: own })

  verifies('TOOL-119', 'takes status and restart, and nothing else', async () => {
    const machine = stubMachine({ systemctl: 'echo active' })
    for (const action of ['stop', 'start', 'enable', 'Status', '', 'status --all'])
      expect(await faultOf(control(machine, { service: 'docker.service', action }))).toMatchObject({
        code: 'ValidationError',
      })
    expect(machine.started()).toEqual([])
    for (const action of ['status', 'restart']) await control(machine, { service: 'docker.service', action })
    expect(machine.started().map(({ argv }) => argv.join(' '))).toEqual([
      '--no-ask-password --no-pager status -- docker.service',
      '--no-ask-password --no-pager restart -- docker.service',
    ])
  })

  test('knows only the units that the owner lists, by their exact names', async () => {
    const machine = stubMachine({ systemctl: '' })
    for (const service of ['ssh.service', 'docker', 'DOCKER.service', 'docker.socket']) {
      const fault = await faultOf(control(machine, { service, action: 'status' }))
      expect(fault).toMatchObject({
        code: 'PolicyViolation',
        violation: { violation_type: 'service_not_allowed' },
      })
    }
    for (const service of ['*', '--force', 'a b', '../x', ''])
      expect((await faultOf(control(machine, { service, action: 'restart' }))).code).toBe('ValidationError')
    expect((await faultOf(control(machine, { service: 'docker.service', action: 'status' }, {}))).code).toBe(
      'PolicyViolation',
    )
    expect(machine.started()).toEqual([])
  })

  test('a unit that does not run is an answer, one that is not known is a failure', async () => {
    const input = { service: 'docker.service', action: 'status' }
    const after = (exit: number) => control(stubMachine({ systemctl: `echo said; exit ${exit}` }), input)
    expect(await after(0)).toMatchObject({ active: true, stdout: 'said\n' })
    expect(await after(3)).toMatchObject({ active: false, stdout: 'said\n' })
    expect((await faultOf(after(4))).code).toBe('CommandFailed')
    const restart = control(stubMachine({ systemctl: 'exit 1' }), { ...input, action: 'restart' })
    expect((await faultOf(restart)).code).toBe('CommandFailed')
  })

  verifies('TOOL-124', 'restarts through sudo -n, and asks for a status without it', async () => {
    const machine = stubMachine({ systemctl: '', sudo: '' }, false)
    await control(machine, { service: 'docker.service', action: 'status' })
    await control(machine, { service: 'docker.service', action: 'restart' })
    const programs = machine.started().map(({ program }) => program)
    expect(programs).toEqual([join(machine.folder, 'systemctl'), join(machine.folder, 'sudo')])
    expect(machine.started()[1]?.argv.slice(0, 3)).toEqual(['-n', '--', join(machine.folder, 'systemctl')])
    const unlisted = { system: config.system }
    const fault = await faultOf(control(machine, { service: 'docker.service', action: 'restart' }, unlisted))
    expect(fault.code).toBe('PolicyViolation')
    expect(machine.started()).toHaveLength(2)
  })
})
