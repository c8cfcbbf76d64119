import { spawn } from 'node:child_process'
import { UpstreamFailure } from '../upstream-failure.ts'

export interface LineLimits {
  readonly seconds: number
  readonly bytes: number
}

/** What only the hub itself may know: a program that fetches credentials has no use for it. */
const OWN_VARIABLE = /^(?:KNOWTATION_|FLOW_)/

/**
 * The first line that a program writes. It is started without a shell and without anything to read; what it complains
 * of is dropped. A program that fails, takes too long, or writes no line or too much has no credential for us.
 */
export function runForLine(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  { seconds, bytes }: LineLimits,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new UpstreamFailure('credential_missing', false))
    const [program = '', ...rest] = words
    const child = spawn(program, rest, {
      env: Object.fromEntries(Object.entries(env).filter(([name]) => !OWN_VARIABLE.test(name))),
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    })
    const chunks: Buffer[] = []
    let size = 0
    const stop = () => {
      fail()
      endGroup(child.pid)
    }
    const timer = setTimeout(stop, seconds * 1_000)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    const settle = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      // Whatever it had started belongs to it and goes with it.
      endGroup(child.pid)
      child.stdout.destroy()
    }
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > bytes) stop()
      else chunks.push(chunk)
    })
    child.on('error', () => {
      settle()
      fail()
    })
    child.on('close', (code) => {
      settle()
      const line = code === 0 ? lineOf(Buffer.concat(chunks)) : undefined
      if (line === undefined) fail()
      else resolve(line)
    })
  })
}

function lineOf(bytes: Buffer): string | undefined {
  const line = bytes.toString('utf8').split(/\r?\n/, 1)[0] ?? ''
  // A credential with a control character could split a request.
  return line === '' || /\p{Cc}/u.test(line) ? undefined : line
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nobody of the group is left.
  }
}
