import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Client as NewClient } from '@modelcontextprotocol/client'
import { StdioClientTransport as NewTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, test } from 'vitest'
import { modern } from './fast-path-cases.fixture.ts'
import { createSampleHost, SAMPLE_CALLER } from './sample-host.fixture.ts'
import { serveMcpOverStdio } from './stdio.ts'

const PROGRAM = { command: process.execPath, args: [`${import.meta.dirname}/stdio-sample.fixture.ts`] }
const OPENING = line(
  'initialize',
  { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  0,
)

function line(method: string, params: object = {}, id: number | undefined = 1): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
}

/** Sends the lines, ends the input, and gives what was written before the server stopped. */
async function talk(...lines: string[]) {
  const [stdin, stdout, host] = [new PassThrough(), new PassThrough(), createSampleHost()]
  const serving = serveMcpOverStdio(host, SAMPLE_CALLER, { stdin, stdout })
  stdin.end(lines.join(''))
  await serving
  stdout.end()
  const written = (await text(stdout)).split('\n')
  expect(written.pop()).toBe('')
  return { host, written, answers: written.map((one) => JSON.parse(one)) }
}

describe('stdio', () => {
  test('answers what was still running when the input ended, then stops', async () => {
    const slow = line('tools/call', { name: 'slow', arguments: { ms: 50 } }, 7)
    const { answers, host } = await talk(OPENING, slow)
    expect(answers.map((answer) => answer.id)).toEqual([0, 7])
    expect(answers[1].result.structuredContent).toEqual({ args: 'late' })
    expect(host.aborted).toEqual([])
  })

  test('serves the 2026 revision, and tells the host who calls', async () => {
    const { answers, host } = await talk(
      `${modern('tools/call', { name: 'echo', arguments: { a: 1 } }).body}\n`,
    )
    expect(answers[0].result).toMatchObject({ resultType: 'complete', structuredContent: { args: { a: 1 } } })
    expect(host.calls).toMatchObject([{ caller: 'ann', tool: 'echo' }])
  })

  test('refuses what two readers could take differently, and goes on', async () => {
    const { answers, host } = await talk(
      OPENING,
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","na\\u006de":"refuse"}}\n',
      '{"jsonrpc":"2.0","id":1,"Method":"ping"}\n',
      'not json\n',
      '[]\n',
      '{"jsonrpc":"2.0","id":1}\n',
      '\n',
      line('ping', {}, 9),
    )
    const codes = answers.filter((answer) => answer.error).map((answer) => answer.error.code)
    expect(codes).toEqual([-32600, -32600, -32700, -32600, -32600])
    expect(answers.some((answer) => answer.id === 9 && answer.result)).toBe(true)
    expect(host.calls).toEqual([])
  })

  test('a cancelled call is aborted and does not hold up the end', async () => {
    const slow = line('tools/call', { name: 'slow', arguments: { ms: 20_000 } }, 7)
    const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}\n'
    const { answers, host } = await talk(OPENING, slow, cancel)
    expect(answers.map((answer) => answer.id)).toEqual([0])
    expect(host.aborted).toEqual(['slow'])
  })

  test('a line over the limit is refused by its own id, and the session goes on', async () => {
    const long = 'y'.repeat(1_100_000)
    const { answers, host } = await talk(
      OPENING,
      line('tools/call', { name: 'echo', arguments: { long } }, 7),
      line('tools/call', { name: 'echo', arguments: { long: long.repeat(10) } }, 8),
      `{"x":"${long}"\n`,
      line('ping', {}, 9),
    )
    const refused = answers.filter(({ error }) => error)
    expect(refused.map(({ id, error }) => [id, error.code])).toEqual([
      [7, -32600],
      [null, -32600],
      [null, -32600],
    ])
    expect(refused[0].error.message).toContain('longer than 1048576 characters')
    expect(answers.filter(({ error }) => !error).map(({ id }) => id)).toEqual([0, 9])
    expect(host.calls).toEqual([])
  })

  test('as a program it exits cleanly at end of input and writes only messages', async () => {
    const child = spawn(PROGRAM.command, PROGRAM.args, { stdio: ['pipe', 'pipe', 'pipe'] })
    child.stdin.end(OPENING + line('tools/list', {}, 1))
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(
      out
        .trim()
        .split('\n')
        .map((one) => JSON.parse(one).id),
    ).toEqual([0, 1])
  })

  test('the 1.x client lists and calls', async () => {
    const client = new OldClient({ name: 'old', version: '1' })
    await client.connect(new OldTransport(PROGRAM))
    expect((await client.listTools()).tools).toHaveLength(2)
    expect(await client.callTool({ name: 'echo', arguments: {} })).toMatchObject({
      structuredContent: { args: {} },
    })
    await client.close()
  })

  test('the 2.x client negotiates 2026-07-28, lists and calls', async () => {
    const client = new NewClient({ name: 'new', version: '2' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new NewTransport(PROGRAM))
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    expect((await client.listTools()).tools).toHaveLength(2)
    expect(await client.callTool({ name: 'echo', arguments: {} })).toMatchObject({
      structuredContent: { args: {} },
    })
    await client.close()
  })
})
