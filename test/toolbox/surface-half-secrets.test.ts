import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { fakePrivateKey, fakeProviderTokens } from '../../src/platform/redaction/fixtures/fake-secrets.ts'
import { verifies } from '../requirements/verifies.ts'
import { startToolHub, type ToolHub } from './surface-hub.fixture.ts'

const TOKEN = fakeProviderTokens().github_token as string
const KEY_LINES = fakePrivateKey().trimEnd().split('\n')
/** So much of a token is a find for whoever looks for it. */
const PIECE = 10
const LINE_CHARACTERS = 2_000
/** Of one stream, what is kept of its beginning. */
const FRONT_BYTES = 524_288

let tools: ToolHub
beforeAll(async () => {
  tools = await startToolHub()
})
afterAll(() => tools[Symbol.asyncDispose]())

async function outputOf(program: string, strategy?: string): Promise<string> {
  tools.project.write('services/web/src/prints.mjs', program)
  const args = { target: 'src/prints.mjs', ...(strategy && { truncation_strategy: strategy }) }
  const { data, text } = await tools.call('mcp', 'run_test', args)
  expect(data?.exit_code, text.slice(0, 500)).toBe(0)
  return data.stdout
}

function expectNoPiece(text: string): void {
  for (let at = 4; at + PIECE <= TOKEN.length; at += 1)
    expect(text).not.toContain(TOKEN.slice(at, at + PIECE))
}

describe('half of a secret is as secret as the whole', () => {
  verifies(['TOOL-006', 'TOOL-125', 'TOOL-081'], 'where a long line of output is cut', async () => {
    for (const shown of [8, 16, 24, 32, TOKEN.length - 1]) {
      const before = '. '.repeat((LINE_CHARACTERS - shown) / 2)
      const stdout = await outputOf(`console.log(${JSON.stringify(`${before}${TOKEN}`)})`)
      expectNoPiece(stdout)
      expect(stdout).toMatch(/characters left out\n$|\[REDACTED:\w+\]\n$/)
    }
  })

  verifies(['TOOL-006', 'TOOL-125', 'TOOL-081'], 'where only some lines of it are shown', async () => {
    const program = `console.log(${JSON.stringify(KEY_LINES.join('\n'))})`
    for (const strategy of ['HEAD:3', 'TAIL:3', 'TAIL:1']) {
      const stdout = await outputOf(program, strategy)
      for (const line of KEY_LINES) expect(stdout).not.toContain(line)
    }
  })

  verifies(['TOOL-006', 'TOOL-125'], 'where the middle of a long output is not kept', async () => {
    const stdout = await outputOf(`
      import { writeSync } from 'node:fs'
      const print = (text) => { for (let at = 0; at < text.length; ) at += writeSync(1, text.slice(at)) }
      const line = 'x'.repeat(16383) + '\\n'
      print(line.repeat(31) + line.slice(20) + ${JSON.stringify(TOKEN)} + '\\n')
      print('y\\n'.repeat(400000))`)
    expect(stdout).toContain(' bytes left out …')
    expectNoPiece(stdout)
    expect(FRONT_BYTES).toBe(16_384 * 32)
  })

  verifies(['TOOL-006', 'TOOL-085'], 'where git shows a part of a line as a heading', async () => {
    const { write, git } = tools.project
    const body = Array.from({ length: 20 }, (_, at) => `  line ${at}\n`).join('')
    const named = (length: number) => `${'n'.repeat(length)} = "${TOKEN}"\n${body}`
    const lengths = [40, 50, 56, 60, 66]
    for (const length of lengths) write(`services/web/src/h${length}.txt`, named(length))
    git('add', '--all')
    git('commit', '--quiet', '--message', 'headings')
    for (const length of lengths) write(`services/web/src/h${length}.txt`, `${named(length)}more\n`)
    write('services/web/src/main.mjs', `${tools.project.read('services/web/src/main.mjs')}${body}`)
    const { data } = await tools.call('mcp', 'git_diff', {})
    expect(data.stdout.match(/^@@ /gm)).toHaveLength(lengths.length + 1)
    expectNoPiece(data.stdout)
    git('checkout', '--quiet', '--', '.')
  })

  verifies(['TOOL-006', 'TOOL-125'], 'where the reason of a failure is cut', async () => {
    const hook = join(tools.project.remote, 'hooks/pre-receive')
    writeFileSync(hook, `#!/bin/sh\necho "${'no '.repeat(91)}${TOKEN}" >&2\nexit 1\n`, { mode: 0o755 })
    const args = { remote: 'origin', branch: 'main', confirm: true }
    const { error, text } = await tools.call('mcp', 'git_push', args, { role: 'release_manager' })
    rmSync(hook)
    expect(error).toMatchObject({ code: 'CommandFailed', message: expect.stringMatching(/ no …$/) })
    expectNoPiece(text)
  })
})

describe('a secret that an attribute calls binary', () => {
  verifies('TOOL-087', 'is not committed either', async () => {
    const { write, git } = tools.project
    const head = git('rev-parse', 'HEAD')
    write('services/web/prod.txt', `token ${TOKEN}\n`)
    write('services/web/picture.bin', 'a\0b\n')
    for (const attributes of ['prod.txt -diff\n', '*.txt binary\n', 'prod.txt diff=none\n']) {
      await tools.call('mcp', 'write_file', { path: '.gitattributes', content: attributes })
      const files = ['prod.txt', '.gitattributes', 'picture.bin']
      expect((await tools.call('mcp', 'git_add', { files })).status).toBe('success')
      const { error } = await tools.call('mcp', 'git_commit', { message: 'Add' })
      expect(error).toMatchObject({ code: 'SecurityError', message: 'What is staged carries a secret.' })
    }
    expect(git('rev-parse', 'HEAD')).toBe(head)
    write('services/web/prod.txt', 'token\n')
    await tools.call('mcp', 'git_add', { files: ['prod.txt'] })
    expect((await tools.call('mcp', 'git_commit', { message: 'Add' })).status).toBe('success')
  })
})
