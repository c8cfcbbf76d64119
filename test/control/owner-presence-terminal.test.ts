import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'
import { PASSWORD, setUpOwner } from './owner-visitor.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')

let hub: TestHub
beforeAll(async () => {
  hub = await startTestHub()
  await setUpOwner(hub)
})
afterAll(() => hub.close())

/** Runs a command in a terminal of its own, and types something as soon as it asks. */
async function typing(typed: string): Promise<{ code: number | null; shown: string }> {
  const command = `${process.execPath} ${MAIN} token create --role viewer --home ${hub.home.folder}`
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { ...process.env, ...hub.options.env },
  })
  let shown = ''
  let isAsked = false
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
    if (isAsked || !shown.includes('password')) return
    isAsked = true
    child.stdin.write(typed)
  })
  const code = await new Promise<number | null>((done, fail) => {
    child.once('error', fail)
    child.once('close', done)
  })
  return { code, shown }
}

test('the password is asked for at the terminal and never shown there', async () => {
  const right = await typing(`${PASSWORD}\r`)
  expect([right.code, right.shown]).toEqual([0, expect.stringContaining('ktok_')])
  expect(right.shown).not.toContain(PASSWORD.slice(0, 5))
  const mended = await typing(`${PASSWORD}x\u007f\r`)
  expect(mended.code).toBe(0)
  const wrong = await typing('another password 1\r')
  expect([wrong.code, wrong.shown]).toEqual([1, expect.stringContaining('That is not the password.')])
  expect(wrong.shown).not.toContain('another')
  const left = await typing('half\u0003')
  expect(left.code).toBe(130)
  expect(left.shown).not.toContain('half')
})
