import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { runInProcess } from '../../../../test/harness/call-cli.ts'
import { makeTestHome } from '../../../../test/harness/test-hub.ts'
import { guardedIo } from './guarded-io.ts'

const SIGNS = ['\u007f', '\u0080', '\u0085', '\u009b', '\u009f', '\u061c', '\u200e', '\u200f', '\u2028']
const TURNING = ['\u202a', '\u202e', '\u2066', '\u2069']

test('no sign that drives a terminal or turns a line reaches it, and JSON says the same as before', async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const io = guardedIo({
    stdin: new PassThrough(),
    stdout,
    stderr,
    isTerminal: true,
    isErrorTerminal: true,
    columns: 80,
  })
  const document = { reason: [...SIGNS, ...TURNING].join('x'), plain: 'für – 日本 🙂' }
  io.stdout.write(`${JSON.stringify(document)}\n`)
  io.stdout.end('\u009b31m')
  io.stderr.end(Buffer.from('\u009b'))
  const written = await text(stdout)
  expect(written).not.toMatch(new RegExp(`[${[...SIGNS, ...TURNING].join('')}]`))
  expect(JSON.parse(written.split('\n')[0] as string)).toEqual(document)
  expect(written).toContain('für – 日本 🙂')
  // Bytes are what a program asked for.
  expect(await text(stderr)).toBe('\u009b')
})

test('commands print so, with --json and without', async () => {
  await using home = await makeTestHome()
  const reason = 'stop\u009b31m \u202eevil'
  const made = await runInProcess(['lock', 'agent', 'a', '--reason', reason, '--json'], home.options.env)
  const listed = await runInProcess(['lock', 'list', '--json'], home.options.env)
  for (const { exit, stdout } of [made, listed]) {
    expect([exit, /[\u007f-\u009f\u202e]/.test(stdout)]).toEqual([0, false])
    expect(stdout).toContain('\\u009b31m')
  }
  expect(JSON.parse(listed.stdout).locks[0].reason).toBe(reason)
  const wrong = await runInProcess([`\u009b31m\u202e`, '--json'], home.options.env)
  expect(`${wrong.stdout}${wrong.stderr}`).not.toMatch(/[\u007f-\u009f\u202e]/)
})
