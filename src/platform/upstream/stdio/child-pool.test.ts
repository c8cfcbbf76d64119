import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  ask,
  EVERYTHING,
  failureOf,
  fake,
  isRunning,
  openUpstreams,
} from '../fixtures/test-upstreams.fixture.ts'
import { ToolProvider } from '../provider-policy.ts'

interface Pids {
  pid: number
  cwd: string
  grandchild: number
}

describe('a real tool server over stdio', () => {
  test('answers many calls at once through one child', async () => {
    const upstreams = openUpstreams()
    const command = [process.execPath, EVERYTHING, 'stdio']
    const provider = ToolProvider.parse({ kind: 'mcp', command, tool: 'echo' })
    const messages = Array.from({ length: 50 }, (_, n) => `message ${n}`)
    const answers = await Promise.all(messages.map((message) => upstreams.call(provider, { message })))
    expect(answers).toEqual(
      messages.map((message) => ({
        kind: 'mcp',
        result: { content: [{ type: 'text', text: `Echo: ${message}` }] },
      })),
    )
    const missing = ToolProvider.parse({ kind: 'mcp', command, tool: 'no_such_tool' })
    expect(await failureOf(upstreams.call(missing, {}))).toBe('tool_missing unsent')
  })
})

describe('what a child is given', () => {
  test('is PATH, LANG, an empty home and the named variables, and nothing else of the hub', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'key'), 'value-from-a-file\n')
    const env = { PATH: process.env.PATH, HUB_SECRET: 'never-passed-on', FAKE_KEY: 'named-variable-value' }
    const upstreams = openUpstreams({ env })
    const provider = fake('good', 'env', {
      env: ['FAKE_KEY', 'NOT_SET'],
      env_files: { FILE_KEY: join(folder, 'key') },
    })
    const given = (await ask(upstreams, provider)) as Record<string, string>
    expect(Object.keys(given).toSorted()).toEqual(['FAKE_KEY', 'FILE_KEY', 'HOME', 'LANG', 'PATH'])
    expect(given).toMatchObject({ FAKE_KEY: '[REDACTED]', FILE_KEY: '[REDACTED]' })
    expect(readdirSync(given.HOME as string)).toEqual([])
    expect(given.HOME).not.toBe(process.env.HOME)
    expect(upstreams.logged.join()).toContain('NOT_SET')
    expect(upstreams.logged.join()).not.toContain('named-variable-value')
    await upstreams.close()
    expect(() => readdirSync(given.HOME as string)).toThrow()
  })

  test('is the home of the hub only where the policy names it, and the named folder to work in', async () => {
    const cwd = temporaryFolder()
    const upstreams = openUpstreams({ env: { PATH: process.env.PATH, HOME: '/home/somebody' } })
    const given = (await ask(upstreams, fake('good', 'env', { env: ['HOME'] }))) as Record<string, string>
    expect(given.HOME).toBe('/home/somebody')
    expect(((await ask(upstreams, fake('good', 'pid', { cwd }))) as Pids).cwd).toBe(cwd)
  })

  test('changes with a credential file: the next call goes to a child that has the new one', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'key')
    writeFileSync(file, 'first-value')
    const upstreams = openUpstreams()
    const provider = fake('good', 'pid', { env_files: { FAKE_KEY: file } })
    const first = (await ask(upstreams, provider)) as Pids
    expect(((await ask(upstreams, provider)) as Pids).pid).toBe(first.pid)
    writeFileSync(file, 'second-value')
    expect(((await ask(upstreams, provider)) as Pids).pid).not.toBe(first.pid)
    rmSync(file)
    expect(await failureOf(upstreams.call(provider, {}))).toBe('credential_missing unsent')
  })
})

describe('the life of children', () => {
  test('one child for equal specs, another for a different folder', async () => {
    const upstreams = openUpstreams()
    const pid = async (more = {}) => ((await ask(upstreams, fake('good', 'pid', more))) as Pids).pid
    const [first, second] = await Promise.all([pid(), pid({ timeout_seconds: 30 })])
    expect(second).toBe(first)
    expect(await pid({ cwd: temporaryFolder() })).not.toBe(first)
  })

  test('close ends a stubborn child and its grandchild, and no call is taken after it', async () => {
    const upstreams = openUpstreams()
    const provider = fake('stubborn-grandchild', 'pid')
    const { pid, grandchild } = (await ask(upstreams, provider)) as Pids
    const hanging = failureOf(upstreams.call(fake('stubborn-grandchild', 'hang'), {}))
    expect([isRunning(pid), isRunning(grandchild)]).toEqual([true, true])
    await new Promise((resolve) => setImmediate(resolve))
    await upstreams.close()
    expect(await hanging).toBe('cancelled sent')
    await vi.waitFor(() => expect([isRunning(pid), isRunning(grandchild)]).toEqual([false, false]))
    expect(await failureOf(upstreams.call(provider, {}))).toBe('not_available unsent')
  })

  test('a child without work is ended, and the next call starts another', async () => {
    const upstreams = openUpstreams({ limits: { idle_ms: 100 } })
    const { pid } = (await ask(upstreams, fake('good', 'pid'))) as Pids
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 10_000 })
    expect(((await ask(upstreams, fake('good', 'pid'))) as Pids).pid).not.toBe(pid)
  })

  test('there are never more children than allowed: the one unused for longest makes room', async () => {
    const upstreams = openUpstreams({ limits: { children: 2 } })
    const folders = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
    const pids: number[] = []
    for (const cwd of folders) pids.push(((await ask(upstreams, fake('good', 'pid', { cwd }))) as Pids).pid)
    expect(pids.map(isRunning)).toEqual([false, true, true])
    const busy = folders.slice(1).map((cwd) => failureOf(upstreams.call(fake('good', 'hang', { cwd }), {})))
    await new Promise((resolve) => setImmediate(resolve))
    expect(await failureOf(upstreams.call(fake('good', 'echo', { cwd: folders[0] }), {}))).toBe(
      'not_available unsent',
    )
    await upstreams.close()
    expect(await Promise.all(busy)).toEqual(['cancelled sent', 'cancelled sent'])
  })

  test('a crash fails what is in flight; the next call starts a new child', async () => {
    const upstreams = openUpstreams()
    const first = (await ask(upstreams, fake('good', 'pid'))) as Pids
    const hanging = failureOf(upstreams.call(fake('good', 'hang'), {}))
    expect(await failureOf(upstreams.call(fake('good', 'crash'), {}))).toBe('crashed sent')
    expect(await hanging).toBe('crashed sent')
    expect(((await ask(upstreams, fake('good', 'pid'))) as Pids).pid).not.toBe(first.pid)
  })

  test('a crash takes the grandchildren with it', async () => {
    const upstreams = openUpstreams()
    const { grandchild } = (await ask(upstreams, fake('grandchild', 'pid'))) as Pids
    expect(await failureOf(upstreams.call(fake('grandchild', 'crash'), {}))).toBe('crashed sent')
    await vi.waitFor(() => expect(isRunning(grandchild)).toBe(false))
  })

  test('a server that never comes up is tried less and less often', async () => {
    let now_ms = 1_000_000
    const upstreams = openUpstreams({
      now: () => new Date(now_ms),
      limits: { backoff_ms: 1000, max_backoff_ms: 4000 },
    })
    const starts = () => upstreams.logged.filter((line) => line.includes('stopped by itself')).length
    const attempt = async (wait_ms: number, starts_then: number) => {
      now_ms += wait_ms
      expect(await failureOf(upstreams.call(fake('crash-at-start', 'echo'), {}))).toBe('crashed unsent')
      await vi.waitFor(() => expect(starts()).toBe(starts_then))
    }
    await attempt(0, 1)
    await attempt(0, 2)
    await attempt(999, 2)
    await attempt(1, 3)
    await attempt(1999, 3)
    await attempt(1, 4)
    await attempt(3999, 4)
    await attempt(1, 5)
    await attempt(3999, 5)
    await attempt(1, 6)
  })

  test('a program that does not exist is unreachable', async () => {
    const upstreams = openUpstreams()
    const provider = ToolProvider.parse({ kind: 'mcp', command: ['/no/such/program'], tool: 'echo' })
    expect(await failureOf(upstreams.call(provider, {}))).toBe('unreachable unsent')
    const nowhere = fake('good', 'echo', { cwd: '/no/such/folder' })
    expect(await failureOf(upstreams.call(nowhere, {}))).toBe('unreachable unsent')
  })
})

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'upstream-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
