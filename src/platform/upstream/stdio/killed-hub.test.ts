import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test, vi } from 'vitest'
import { isRunning } from '../fixtures/test-upstreams.fixture.ts'

const HUB = new URL('../fixtures/killed-hub.fixture.ts', import.meta.url).pathname

test('a hub that is killed outright leaves no child, no grandchild and no file behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'upstream-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const hub = spawn(process.execPath, [HUB], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: folder },
  })
  onTestFinished(() => void hub.kill('SIGKILL'))
  const [line] = await new Promise<[string]>((resolve) =>
    createInterface({ input: hub.stdout }).once('line', (text: string) => resolve([text])),
  )
  const texts = JSON.parse(line).map((answer: { result: { content: { text: string }[] } }) => {
    return answer.result.content[0]?.text
  })
  const pids: number[] = texts
    .map((text: string) => JSON.parse(text))
    .flatMap((made: Record<string, number>) => [made.pid, made.grandchild])
  expect(pids.map(isRunning)).toEqual([true, true, true, true])
  expect(readdirSync(folder)).toHaveLength(1)
  hub.kill('SIGKILL')
  await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), 10_000)
  await vi.waitFor(() => expect(readdirSync(folder)).toEqual([]), 10_000)
})

test('a hub that is killed while a child starts leaves no file behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'upstream-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (let time = 0; time < 5; time++) {
    const env = { ...process.env, TMPDIR: folder }
    const hub = spawn(process.execPath, [HUB, 'killed-by-tool'], { stdio: 'ignore', env })
    expect(await once(hub, 'exit')).toEqual([null, 'SIGKILL'])
  }
  await vi.waitFor(() => expect(readdirSync(folder)).toEqual([]), 10_000)
})
