import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ask, failureOf, fake, openUpstreams, serve } from '../fixtures/test-upstreams.fixture.ts'
import { ToolProvider } from '../provider-policy.ts'
import { splitWords } from './command-words.ts'
import { credentialPrograms } from './credential-programs.ts'

const CANARY = 'canary-7Jt2mQ9x'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'knowtation-exec-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** A program that writes what stands in a file, and notes each start in another. */
function program(text: string) {
  const at = folder()
  writeFileSync(join(at, 'value'), text)
  const script = `require('fs').appendFileSync('${at}/starts', '.'); process.stdout.write(require('fs').readFileSync('${at}/value'))`
  return {
    command: `"${process.execPath}" -e "${script}"`,
    starts: () => readFileSync(join(at, 'starts'), 'utf8').length,
    now: (next: string) => writeFileSync(join(at, 'value'), next),
  }
}

const isHeaderValue = (value: string) =>
  ToolProvider.safeParse({ kind: 'http', url: 'https://x.test', headers: { 'x-a': value } }).success

const node = (script: string) => `'${process.execPath}' -e "${script}"`

describe('the words of a command', () => {
  test.each<[string, string[] | undefined]>([
    ['op read op://ops/pager/token', ['op', 'read', 'op://ops/pager/token']],
    ['  a\t b  ', ['a', 'b']],
    [`a 'b c' "d 'e' f"`, ['a', 'b c', "d 'e' f"]],
    [`--x='a b'"c d"e`, ['--x=a bc de']],
    [`a '' ""`, ['a', '', '']],
    ['$HOME ~ * \\n `x` ; | & >', ['$HOME', '~', '*', '\\n', '`x`', ';', '|', '&', '>']],
    ["it's", undefined],
    ['a "b', undefined],
    ['', []],
  ])('%j', (text, words) => {
    expect(splitWords(text)).toEqual(words)
  })

  test('whatever the words are, quoting each gives them back', () => {
    const word = fc.string().filter((text) => !text.includes("'"))
    fc.assert(
      fc.property(fc.array(word), (words) => {
        expect(splitWords(words.map((one) => `'${one}'`).join(' '))).toEqual(words)
      }),
    )
  })

  test('a command that cannot be split, or has no word, is no value of a policy', () => {
    expect(['exec:op "read', 'Bearer exec:"', 'exec:  ', 'exec:op read'].map(isHeaderValue)).toEqual([
      false,
      false,
      false,
      true,
    ])
  })
})

describe('a credential that a program gives', () => {
  test('is its first line, asked for once however many calls wait, and kept for a while', async () => {
    const { command, starts, now } = program(`${CANARY}\nand more\n`)
    let now_ms = 0
    const programs = credentialPrograms(process.env, { now_ms: () => now_ms })
    onTestFinished(() => programs.close())
    const all = await Promise.all(Array.from({ length: 20 }, () => programs.read(command)))
    expect([new Set(all), starts()]).toEqual([new Set([CANARY]), 1])
    now('second\r\n')
    now_ms = 299_999
    expect(programs.read(command)).toBe(CANARY)
    now_ms = 300_001
    expect([await programs.read(command), starts()]).toEqual(['second', 2])
  })

  test('is asked for anew when it was refused, but not again and again', async () => {
    const { command, starts } = program(CANARY)
    let now_ms = 0
    const programs = credentialPrograms(process.env, { now_ms: () => now_ms })
    onTestFinished(() => programs.close())
    await programs.read(command)
    expect(programs.forget(command)).toBe(false)
    now_ms = 6_000
    expect(programs.forget(command)).toBe(true)
    await programs.read(command)
    expect([programs.forget(command), starts()]).toEqual([false, 2])
  })

  test.each([
    ['fails', node('console.log(1); process.exit(1)')],
    ['writes nothing', node('0')],
    ['writes an empty line first', node('console.log(); console.log(1)')],
    ['writes a control character', node('console.log(String.fromCharCode(65, 27, 66))')],
    ['writes too much', node(`process.stdout.write('x'.repeat(20000))`)],
    ['floods', node(`setInterval(() => process.stdout.write('x'.repeat(65536)), 1)`)],
    ['is not there', '/no/such/program a'],
    ['waits to be told something', node(`process.stdin.on('data', () => console.log(1))`)],
  ])('is missing where the program %s', async (_what, command) => {
    let now_ms = 0
    const programs = credentialPrograms(process.env, { now_ms: () => now_ms })
    onTestFinished(() => programs.close())
    expect(await failureOf(Promise.resolve(programs.read(command)))).toBe('credential_missing unsent')
    expect(() => programs.read(command)).toThrow('A credential that the policy names is missing.')
    now_ms = 5_001
    expect(await failureOf(Promise.resolve(programs.read(command)))).toBe('credential_missing unsent')
  })

  test('ends with the hub that asks for it', async () => {
    const programs = credentialPrograms(process.env)
    const asked = failureOf(Promise.resolve(programs.read(node('setInterval(() => {}, 1000)'))))
    programs.close()
    expect(await asked).toBe('credential_missing unsent')
  })

  test('gets the environment of the hub without what is for the hub alone', async () => {
    const env = { PATH: process.env.PATH, VAULT_ADDR: 'here', KNOWTATION_AUDIT_KEY: CANARY, FLOW_X: CANARY }
    const programs = credentialPrograms(env)
    onTestFinished(() => programs.close())
    const line = await programs.read(node('console.log(JSON.stringify(process.env))'))
    expect(line).toContain('"VAULT_ADDR":"here"')
    expect(line).not.toContain(CANARY)
  })
})

describe('calls with such a credential', () => {
  test('a header and a variable carry it; no answer, failure or log tells it', async () => {
    const heard: unknown[] = []
    const { url } = await serve((request, response) => {
      heard.push(request.headers.authorization)
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ you: request.headers.authorization }))
    })
    const { command } = program(CANARY)
    const upstreams = openUpstreams()
    const web = ToolProvider.parse({
      kind: 'http',
      url,
      headers: { authorization: `Bearer exec:${command}` },
    })
    const answered = await upstreams.call(web, {})
    expect(heard).toEqual([`Bearer ${CANARY}`])
    const child = fake('good', 'env', {
      env: { FAKE_KEY: `exec:${command}`, PLAIN: 'as written', LANG: 'C' },
    })
    const given = (await ask(upstreams, child)) as Record<string, string>
    expect([given.FAKE_KEY, given.PLAIN, given.LANG]).toEqual(['[REDACTED]', '[REDACTED]', 'C'])
    const crying = ToolProvider.parse({
      kind: 'http',
      url,
      headers: { authorization: `exec:${node(`console.error('${CANARY}'); process.exit(3)`)}` },
    })
    const failed = await failureOf(upstreams.call(crying, {}))
    expect(failed).toBe('credential_missing unsent')
    expect(JSON.stringify([answered, failed, upstreams.logged])).not.toContain(CANARY)
  })

  test('what was refused with 401 is asked for once more, and the call made again only with another one', async () => {
    const { url } = await serve((request, response) => {
      response.statusCode = request.headers.authorization === 'new-value' ? 200 : 401
      response.setHeader('content-type', 'application/json')
      response.end('{}')
    })
    const { command, starts, now } = program('old-value')
    const upstreams = openUpstreams({ exec_rest_ms: 0 })
    const web = ToolProvider.parse({ kind: 'http', url, headers: { authorization: `exec:${command}` } })
    expect(await failureOf(upstreams.call(web, {}))).toBe('http_status sent 401')
    expect(starts()).toBe(2)
    now('new-value')
    expect(await upstreams.call(web, {})).toMatchObject({ kind: 'http', status: 200 })
    expect(starts()).toBe(3)
  })

  test('a call does not wait longer for it than for anything else', async () => {
    const upstreams = openUpstreams()
    const headers = { authorization: `exec:${node('setInterval(() => {}, 1000)')}` }
    const web = ToolProvider.parse({ kind: 'http', url: 'http://127.0.0.1:9/', headers, timeout_seconds: 1 })
    expect(await failureOf(upstreams.call(web, {}))).toBe('timeout unsent')
  })
})
