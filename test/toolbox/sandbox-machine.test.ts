import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSandbox } from '../../src/platform/sandbox/open-sandbox.ts'
import type { CommandOptions, SandboxProfile } from '../../src/platform/sandbox/sandbox.ts'
import { buildHog } from './memory-hog.fixture.ts'

const OPTIONS: CommandOptions = { limits: { timeout_ms: 60_000, output_bytes: 10_000, processes: 1_024 } }

let tools: string
let hog: string
beforeAll(() => {
  tools = realpathSync(mkdtempSync(join(tmpdir(), 'sandbox-machine-')))
  hog = buildHog(tools, 'machine-hog.c')
})
afterAll(() => rmSync(tools, { recursive: true, force: true }))

function profile(): SandboxProfile {
  return {
    mounts: [{ path: tools, access: 'read' }],
    masked: [],
    overlays: [],
    read_only: [],
    network: false,
    cwd: tools,
    env: { PATH: '/usr/bin:/bin' },
  }
}

const hardest = (limits: string) => /^Max core file size +\S+ +(\S+)/m.exec(limits)?.[1]

test('a command that crashes starts no program of the machine for its image', async () => {
  const { stdout } = await openSandbox().run(profile(), ['/bin/cat', '/proc/self/limits'], OPTIONS)
  // Only 1 is the kernel's word for neither a file nor a program; who has 0 may not say it.
  expect(hardest(stdout)).toBe(hardest(readFileSync('/proc/self/limits', 'utf8')) === '0' ? '0' : '1')
})

describe('what all programs of the machine or of a user share', () => {
  test.each([
    ['events', 100, 0],
    ['timers', 20_000, 8_192],
    ['queues', 100, 4],
  ])('is not taken from others by a command: %s', async (what, wanted, most) => {
    expect(Number(execFileSync(hog, [what, '1'], { encoding: 'utf8' }))).toBe(1)
    const outcome = await openSandbox().run(profile(), [hog, what, String(wanted)], OPTIONS)
    expect(outcome).toMatchObject({ exit_code: 0 })
    expect(Number(outcome.stdout)).toBeLessThanOrEqual(most)
  })

  test.each([
    '--core=0',
    '--fsize=1000000',
    '--nproc=2000',
    '--sigpending=100',
    '--msgqueue=1000',
    '--data=4000000000',
  ])('a hub with the limit %s runs commands with it', (limit) => {
    const options = { ...OPTIONS, limits: { ...OPTIONS.limits, memory_bytes: 2 ** 33 } }
    const code = `import { openSandbox } from ${JSON.stringify(import.meta.resolve('../../src/platform/sandbox/open-sandbox.ts'))}
        if (process.getuid() === 0) process.setuid(65534)
        const outcome = await openSandbox().run(${JSON.stringify({ ...profile(), mounts: [], cwd: '/usr' })}, ['/bin/echo', 'ran'], ${JSON.stringify(options)})
        console.log(outcome.stdout, outcome.stderr)`
    const argv = [limit, process.execPath, '--input-type=module', '-e', code]
    expect(execFileSync('prlimit', argv, { encoding: 'utf8' })).toMatch(/^ran\n/)
  })
})
