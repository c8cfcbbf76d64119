import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sandboxFindings } from '../../src/domains/admin/findings/sandbox-findings.ts'
import { openSandbox } from '../../src/platform/sandbox/open-sandbox.ts'
import type { SandboxMount } from '../../src/platform/sandbox/sandbox.ts'

const sandbox = openSandbox()
let folder: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sandbox-system-')))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function run(argv: readonly string[], mounts: readonly SandboxMount[] = []) {
  const profile = {
    mounts: [{ path: folder, access: 'write' as const }, ...mounts],
    masked: [],
    overlays: [],
    read_only: [],
    network: false,
    cwd: folder,
    env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
  }
  return sandbox.run(profile, argv, { limits: { timeout_ms: 60_000, output_bytes: 100_000 } })
}

describe('what a command sees of the machine in /proc', () => {
  test('boot arguments, keys, symbols, locks and devices do not show', async () => {
    const hidden = [
      'cmdline',
      'keys',
      'key-users',
      'kallsyms',
      'locks',
      'partitions',
      'diskstats',
      'interrupts',
    ]
    expect(readFileSync('/proc/cmdline', 'utf8')).not.toBe('')
    const { stdout } = await run([
      '/bin/sh',
      '-c',
      `cd /proc; cat ${hidden.join(' ')} 2>/dev/null; ls -A fs bus/* irq driver`,
    ])
    expect(stdout.replaceAll(/^(\w+:)?\n/gm, '')).toBe('')
  })

  test('what runtimes ask for is there', async () => {
    const { stdout } = await run([
      '/bin/sh',
      '-c',
      'cd /proc; wc -l cpuinfo meminfo stat uptime self/status sys/kernel/pid_max; ls -d self/fd net',
    ])
    expect(stdout).toMatch(/[1-9]\d* total\nnet\nself\/fd\n/)
  })

  test('Node with threads, Python and the compiler work', async () => {
    const node = [{ path: dirname(dirname(realpathSync(process.execPath))), access: 'read' as const }]
    writeFileSync(join(folder, 'a.c'), '#include <stdio.h>\nint main(void) { puts("compiled"); }')
    const script = `
      const { Worker } = require('node:worker_threads'); const os = require('node:os')
      new Worker('require("node:worker_threads").parentPort.postMessage(1)', { eval: true })
        .on('message', () => console.log('worker', os.cpus().length > 0, os.totalmem() > 0, process.memoryUsage().rss > 0))`
    expect(await run([process.execPath, '-e', script], node)).toMatchObject({
      exit_code: 0,
      stdout: 'worker true true true\n',
    })
    const python =
      'import multiprocessing, subprocess, os; print(multiprocessing.cpu_count() > 0, os.getloadavg()[0] >= 0)'
    expect((await run(['/usr/bin/python3', '-c', python])).stdout).toBe('True True\n')
    expect((await run(['/bin/sh', '-c', 'gcc a.c -o a && ./a'])).stdout).toBe('compiled\n')
  })
})

test('a command cannot change the devices of the machine, and uses them', async () => {
  const devices = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom', '/dev/tty']
  const before = devices.map((path) => statSync(path).ctimeMs)
  // The modes that they have anyway: were it possible, nobody would notice.
  const changes = `chmod 666 ${devices.join(' ')}; echo unread > /dev/null; head -c 4 /dev/zero | wc -c`
  const outcome = await run(['/bin/sh', '-c', changes])
  expect(outcome.stdout).toBe('4\n')
  expect(devices.map((path) => statSync(path).ctimeMs)).toEqual(before)
})

describe('the doctor', () => {
  test('says who keeps the limits of commands here', async () => {
    const keeper = sandbox.limitKeeper()
    const [jailed, limits] = await sandboxFindings(sandbox)
    expect(jailed).toMatchObject({ subject: 'sandbox', state: 'ok' })
    expect(limits).toMatchObject(
      keeper.kind === 'kernel'
        ? { state: 'ok', detail: expect.stringContaining(keeper.folder), fix: null }
        : { state: 'off', detail: expect.stringContaining(keeper.reason), fix: keeper.fix },
    )
  })

  test('says so where the kernel keeps them, and where the hub watches', async () => {
    const keeper = { kind: 'kernel' as const, folder: '/sys/fs/cgroup/hub' }
    const [, kernel] = await sandboxFindings({ ...sandbox, limitKeeper: () => keeper })
    expect(kernel).toMatchObject({
      state: 'ok',
      detail: expect.stringMatching(/kernel keeps .*\/sys\/fs\/cgroup\/hub/),
    })
    const [, watched] = await sandboxFindings(openSandbox({ kernel_limits: false }))
    expect(watched).toMatchObject({ state: 'off', detail: expect.stringMatching(/hub watches/) })
  })
})
