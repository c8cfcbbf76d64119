import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Server } from './child-process.ts'
import { treeOf } from './machine.ts'

const READY_LIMIT_MS = 60_000
const END_LIMIT_MS = 5_000
const LOOPBACK_ONLY = join(import.meta.dirname, 'loopback-only.ts')

/** Starts somebody else's server as it is, but on a free loopback port. It writes a line a call: nobody reads them. */
export async function startPeer(args: readonly string[]): Promise<Server> {
  const child = spawn(process.execPath, ['--import', LOOPBACK_ONLY, ...args], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    detached: true,
  })
  const pid = child.pid ?? 0
  const exited = once(child, 'exit')
  const endWithUs = () => endAll(pid, [pid])
  process.once('exit', endWithUs)
  const end = async () => {
    const family = treeOf(pid)
    child.kill('SIGTERM')
    const tooLate = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS)
    await exited
    clearTimeout(tooLate)
    process.off('exit', endWithUs)
    endAll(pid, family)
  }
  try {
    const ready = once(child, 'message', { signal: AbortSignal.timeout(READY_LIMIT_MS) })
    const [message] = await Promise.race([
      ready,
      exited.then(() => Promise.reject(new Error('The peer ended.'))),
    ])
    return { pid, url: (message as { url: string }).url, end }
  } catch (error) {
    await end()
    throw error
  }
}

/** Some leave children behind, in their process group or out of it. */
function endAll(group: number, family: readonly number[]): void {
  for (const pid of [-group, ...family]) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Gone already.
    }
  }
}
