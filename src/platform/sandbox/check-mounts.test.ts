import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { checkMounts } from './check-mounts.ts'
import { SandboxUnavailable } from './sandbox.ts'

const NOBODY = 65_534
const running = () => false

/** A process without rights, as one behind a finished sandbox; it sees the machine's own mounts. */
async function withoutRights(act: (pid: number) => Promise<void>): Promise<void> {
  const child = spawn('/bin/sleep', ['60'], process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {})
  await once(child, 'spawn')
  try {
    await act(child.pid as number)
  } finally {
    child.kill('SIGKILL')
  }
}

test('a command is let go only where every mount stands, and as it is meant to', async () => {
  await withoutRights(async (pid) => {
    const proc = { path: '/proc', access: 'write' } as const
    expect(await checkMounts(pid, [proc], running)).toBe(true)
    for (const other of [
      { path: '/proc', access: 'read' },
      { path: '/no-such-mount', access: 'read' },
    ] as const)
      await expect(checkMounts(pid, [proc, other], running)).rejects.toThrow(SandboxUnavailable)
  })
})

test('one that is over before is not waited for', async () => {
  expect(await checkMounts(process.pid + 2 ** 22, [], () => true)).toBe(false)
})
