import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { runLint } from '../../src/domains/toolbox/commands/run-lint.ts'
import { runTest } from '../../src/domains/toolbox/commands/run-test.ts'
import { GuardDenied } from '../../src/platform/guard/guard.ts'
import { verifies } from '../requirements/verifies.ts'
import {
  configured,
  faultOf,
  makeService,
  npmFolder,
  openService,
  type ServiceOptions,
  type TestService,
} from './commands-service.fixture.ts'
import { runHostile } from './sandbox-hostile.fixture.ts'

let service: TestService
function open(options?: ServiceOptions): TestService {
  service = openService(options)
  return service
}

const COUNT = 'for (let i = 1; i <= 100; i++) console.log("line " + i)'

verifies(
  'TOOL-080',
  'run_test runs the configured command on the target and answers both streams',
  async () => {
    open({
      config: configured(['node', '--test', '{target}'], ['node']),
      files: {
        'sum.test.mjs': `import test from 'node:test'; import assert from 'node:assert'
        test('adds', () => { console.error('to stderr'); assert.equal(1 + 1, 2) })`,
      },
    })
    const report = await service.call(runTest, { target: 'sum.test.mjs' })
    expect(report).toMatchObject({ exit_code: 0, notice: null })
    expect(report.stdout).toMatch(/pass 1/)
    const plain = await open({ files: { 'a.mjs': 'console.log("out"); console.error("err")' } }).call(
      runTest,
      {
        target: 'a.mjs',
      },
    )
    expect(plain).toMatchObject({ stdout: 'out\n', stderr: 'err\n' })
  },
)

verifies('TOOL-081', 'HEAD:n and TAIL:n answer those lines and say that the output was cut', async () => {
  open({ files: { 'many.mjs': COUNT } })
  const head = await service.call(runTest, { target: 'many.mjs', truncation_strategy: 'HEAD:5' })
  expect(head.stdout).toBe('line 1\nline 2\nline 3\nline 4\nline 5\n')
  expect(head.notice).toBe('stdout was cut: the first 5 of 100 lines.')
  const tail = await service.call(runTest, { target: 'many.mjs', truncation_strategy: 'TAIL:2' })
  expect(tail).toMatchObject({
    stdout: 'line 99\nline 100\n',
    notice: 'stdout was cut: the last 2 of 100 lines.',
  })
  expect((await service.call(runTest, { target: 'many.mjs' })).notice).toBeNull()
  for (const truncation_strategy of ['FOO', 'HEAD', 'HEAD:0', 'HEAD:-1', 'head:5', 'TAIL:99999', 'HEAD:5 ']) {
    const fault = await faultOf(service.call(runTest, { target: 'many.mjs', truncation_strategy }))
    expect(fault.code, truncation_strategy).toBe('ValidationError')
  }
})

test('without a strategy both ends of a long output are shown', async () => {
  open({ files: { 'many.mjs': 'for (let i = 0; i < 1000; i++) console.log(i)' } })
  const { stdout, notice } = await service.call(runTest, { target: 'many.mjs' })
  const lines = stdout.trimEnd().split('\n')
  expect(lines).toHaveLength(101)
  expect([lines[0], lines[50], lines[100]]).toEqual(['0', '… 900 lines left out …', '999'])
  expect(notice).toMatch(/the first 50 and the last 50 of 1000 lines/)
})

verifies('TOOL-081', 'an output whose middle was not kept is not said to have fewer lines', async () => {
  const noise = 'for (let i = 0; i < 40000; i++) console.log(i + " ".repeat(60))'
  open({ files: { 'noise.mjs': `${noise}; console.error("one\\ntwo\\nthree")` } })
  const both = await service.call(runTest, { target: 'noise.mjs' })
  expect(both.notice).toMatch(
    /^stdout was cut: the first 50 and the last 50 of more than \d+ lines\. \d+ bytes of output were not kept\.$/,
  )
  expect(both.stdout).toMatch(/\n… more than \d+ lines left out …\n/)
  const tail = await service.call(runTest, { target: 'noise.mjs', truncation_strategy: 'TAIL:2' })
  expect(tail.notice).toMatch(
    /^stdout was cut: the last 2 of more than \d+ lines\. stderr was cut: the last 2 of 3 lines\./,
  )
})

verifies(
  'TOOL-082',
  'a target outside the service or like an option is refused, and nothing is run',
  async () => {
    open({ files: { 'ok.mjs': `import fs from 'node:fs'; fs.writeFileSync('ran', '')` } })
    writeFileSync(
      join(service.other, 'x.mjs'),
      `import fs from 'node:fs'; fs.writeFileSync('${service.root}/ran', '')`,
    )
    symlinkSync('../other', join(service.root, 'link'))
    const outside = [
      '../other',
      '../other/x.mjs',
      '/etc/passwd',
      join(service.other, 'x.mjs'),
      'link/x.mjs',
      'a/../../other',
    ]
    for (const target of outside) {
      await expect(service.call(runTest, { target }), target).rejects.toBeInstanceOf(GuardDenied)
      await expect(service.call(runLint, { target }), target).rejects.toBeInstanceOf(GuardDenied)
    }
    for (const target of ['--config=/x', '-e', '--eval=1', '@options', '+x']) {
      const fault = await faultOf(service.call(runTest, { target }))
      expect(fault, target).toMatchObject({
        code: 'ValidationError',
        violation: { violation_type: 'test_scope' },
      })
      expect((await faultOf(service.call(runLint, { target }))).code, target).toBe('ValidationError')
    }
    expect(existsSync(join(service.root, 'ran'))).toBe(false)
    await service.call(runTest, { target: 'ok.mjs' })
    expect(existsSync(join(service.root, 'ran'))).toBe(true)
  },
)

verifies('TOOL-083', 'run_lint runs the configured linter and reports its finding', async () => {
  open({
    config: configured(['npm', 'run', '--silent', 'lint', '--', '{target}'], ['npm']),
    env: npmFolder(),
    files: {
      'package.json': JSON.stringify({ name: 'x', scripts: { lint: 'node lint.mjs' } }),
      'lint.mjs': `import fs from 'node:fs'
        const bad = fs.readFileSync(process.argv[2], 'utf8').split('\\n').findIndex((line) => line.includes('var '))
        if (bad >= 0) { console.log(process.argv[2] + ':' + (bad + 1) + ' no var'); process.exit(1) }`,
      'good.js': 'let a = 1\n',
      'bad.js': '\nvar a = 1\n',
    },
  })
  expect((await service.call(runLint, { target: 'good.js' })).exit_code).toBe(0)
  const fault = await faultOf(service.call(runLint, { target: 'bad.js' }))
  expect(fault).toMatchObject({ code: 'CommandFailed', details: { exit_code: 1 } })
  expect(fault.details?.stdout).toContain('bad.js:2 no var')
})

verifies(
  'TOOL-100',
  'no shell reads the target, stdin is empty, and nothing of our environment gets in',
  async () => {
    process.env.OUR_OWN_TEST_SECRET = 'only-ours'
    try {
      open({
        config: configured(['node', 'show.mjs', '{target}'], ['node'], {
          env: { GIVEN: 'yes', PATH: '/evil', HOME: '/root' },
        }),
        files: {
          'show.mjs': `import fs from 'node:fs'
          console.log(JSON.stringify({ argv: process.argv.slice(2), env: process.env, stdin: fs.readFileSync(0, 'utf8') }))`,
        },
      })
      const { stdout } = await service.call(runTest, { target: 'x; touch p' })
      const shown = JSON.parse(stdout) as { argv: string[]; env: Record<string, string>; stdin: string }
      expect(shown.argv).toEqual(['x; touch p'])
      expect(shown.stdin).toBe('')
      expect(stdout).not.toContain('only-ours')
      expect(shown.env).toMatchObject({
        CI: '1',
        NO_COLOR: '1',
        LANG: 'C.UTF-8',
        GIVEN: 'yes',
        HOME: '/sandbox/home',
      })
      expect(shown.env.PATH).not.toContain('/evil')
      for (const target of ['$(touch p)', '`touch p`', '| touch p', '&& touch p', '> p']) {
        await service.call(runTest, { target })
      }
      expect(readdirSync(service.root)).toEqual(['show.mjs'])
    } finally {
      delete process.env.OUR_OWN_TEST_SECRET
    }
  },
)

verifies('TOOL-100', 'a test beyond its time is stopped with all it started, and gives Timeout', async () => {
  open({
    config: configured(['node', '{target}'], ['node'], { timeout_seconds: 1 }),
    files: {
      'sleep.mjs': `import { spawn } from 'node:child_process'
        spawn('setsid', ['sh', '-c', 'while :; do date +%N > next; mv next beat; sleep 0.05; done'], { detached: true, stdio: 'ignore' })
        console.log('before'); setInterval(() => {}, 1000)`,
    },
  })
  const fault = await faultOf(service.call(runTest, { target: 'sleep.mjs' }))
  expect(fault).toMatchObject({ code: 'Timeout', details: { stdout: 'before\n' } })
  const last = readFileSync(join(service.root, 'beat'), 'utf8')
  await new Promise((later) => setTimeout(later, 400))
  expect(readFileSync(join(service.root, 'beat'), 'utf8')).toBe(last)
})

verifies('TOOL-101', 'a failing command is an error with both streams, never a success', async () => {
  open({ files: { 'bad.mjs': 'console.log("what it said"); console.error("why"); process.exit(3)' } })
  const fault = await faultOf(service.call(runTest, { target: 'bad.mjs' }))
  expect(fault).toMatchObject({
    code: 'CommandFailed',
    details: { stdout: 'what it said\n', stderr: 'why\n', exit_code: 3, notice: null },
  })
})

test('a flood of output is stopped and said so', async () => {
  open({
    files: { 'flood.mjs': 'import fs from "node:fs"; for (;;) fs.writeSync(1, "x".repeat(65536) + "\\n")' },
  })
  const fault = await faultOf(service.call(runTest, { target: 'flood.mjs' }))
  expect(fault.code).toBe('OutputLimitExceeded')
  expect(String(fault.details?.stdout).length).toBeLessThan(300_000)
})

test('a program of the service never stands in for one of the system', async () => {
  open({ config: configured(['env', 'node', '-p', '"real"'], ['env']) })
  for (const folder of ['node_modules/.bin', '.venv/bin']) {
    mkdirSync(join(service.root, folder), { recursive: true })
    for (const name of ['env', 'node']) service.write(`${folder}/${name}`, '#!/bin/sh\necho planted\n', 0o755)
    service.write(`${folder}/own-tool`, '#!/bin/sh\necho own tool\n', 0o755)
  }
  expect((await service.call(runTest, { target: '.' })).stdout).toBe('real\n')
  const { root } = service
  const again = makeService({ config: configured(['own-tool'], ['own-tool']) })
  try {
    again.write(
      'node_modules/.bin/own-tool',
      readFileSync(join(root, 'node_modules/.bin/own-tool'), 'utf8'),
      0o755,
    )
    expect((await again.call(runTest, { target: '.' })).stdout).toBe('own tool\n')
  } finally {
    again.remove()
  }
})

test('a link in the place of a folder of programs shows nothing of what is behind it', async () => {
  const env: Record<string, string> = {}
  open({ env })
  const outside = join(dirname(service.project), 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'key.txt'), 'outside')
  env.KNOWTATION_TOOLCHAIN_PATH = join(service.root, 'tools')
  symlinkSync(outside, env.KNOWTATION_TOOLCHAIN_PATH)
  const seen = await runHostile(
    service,
    `attempt('read', () => fs.readFileSync(${JSON.stringify(join(outside, 'key.txt'))}, 'utf8'))`,
  )
  expect(seen).toMatchObject({ read: 'ENOENT' })
})

test('a command that fills the disk is stopped, and the fault says by what', async () => {
  const fill = `const fs = require('node:fs'); const fd = fs.openSync('big', 'w'); const piece = Buffer.alloc(1 << 20)
    for (let n = 0; n < 96; n++) fs.writeSync(fd, piece); setTimeout(() => console.log('written'), 30_000)`
  open({
    config: { ...configured(['node', 'fill.cjs'], ['node']), limits: { disk_mb: 16 } },
    files: { 'fill.cjs': fill },
  })
  const fault = await faultOf(service.call(runTest, { target: '.' }))
  expect(fault).toMatchObject({
    code: 'CommandFailed',
    message: expect.stringMatching(/wrote more than 16777216 bytes .* was stopped/),
    suggestion: expect.stringMatching(/`limits` in \.flow\/config\.json/),
    details: { limit_hit: 'disk', exit_code: null, stdout: '' },
  })
})

verifies(
  'TOOL-131',
  'a command sees nothing of the hub, not even where its home lies in the service',
  async () => {
    open({ home_inside: true })
    const stream = join(service.home, 'knowtation.db')
    writeFileSync(stream, 'events')
    const path = JSON.stringify(stream)
    const code = `attempt('list', () => fs.readdirSync('home').join())
    attempt('read', () => fs.readFileSync(${path}, 'utf8'))
    attempt('write', () => fs.writeFileSync(${path}, ''))`
    const seen = await runHostile(service, code)
    expect(seen).toMatchObject({ list: '', read: 'ENOENT' })
    expect(seen.write).not.toBe('done')
    expect(readFileSync(stream, 'utf8')).toBe('events')
  },
)
