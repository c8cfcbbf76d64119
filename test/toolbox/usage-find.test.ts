import { linkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findUsage } from '../../src/domains/toolbox/knowledge/find-usage.ts'
import { PARSED_MAX_BYTES, UNSUPPORTED_SHOWN } from '../../src/domains/toolbox/knowledge/usage/tree-limits.ts'
import { MATCH_LIMIT } from '../../src/domains/toolbox/search/search-limits.ts'
import { verifies } from '../requirements/verifies.ts'
import { makeFilesProject } from './files-project.fixture.ts'
import { startToolHub, type ToolHub, WAYS } from './surface-hub.fixture.ts'
import { usagesOf } from './usage-service.fixture.ts'

/** Each call starts a program of its own, which a busy machine takes its time for. */
const SLOW = { timeout: 120_000 }

describe('over every surface', SLOW, () => {
  let tools: ToolHub
  beforeAll(async () => {
    tools = await startToolHub()
    tools.project.write(
      'services/web/src/sum.ts',
      '// sum is not used here: "sum"\nlog("sum", \'sum\')\nexport const a = sum(1)\n',
    )
    tools.project.write('services/other/sum.ts', 'sum(2)\n')
    tools.project.write('shared/sum.ts', 'export function sum() {}\n')
  })
  afterAll(() => tools[Symbol.asyncDispose]())

  verifies('TOOL-103', 'a use in code counts, one in a comment or a string does not', async () => {
    for (const way of WAYS) {
      const { data } = await tools.call(way, 'find_usage', { symbol: 'sum' })
      expect(data, way).toMatchObject({
        usages: [
          { file: 'src/sum.ts', line: 3, column: 18, kind: 'reference', content: 'export const a = sum(1)' },
        ],
        total: 1,
        capped: false,
      })
    }
  })

  verifies(
    'TOOL-103',
    'nothing outside of the seat is looked at, shared folders when they are named',
    async () => {
      const { data } = await tools.call('direct', 'find_usage', { symbol: 'sum', path: 'shared' })
      expect(data.usages).toMatchObject([{ file: 'shared/sum.ts', line: 1, kind: 'definition' }])
      for (const path of ['../other', '../../services/other/sum.ts', '/etc', '.env'])
        expect(await tools.codeOf('direct', 'find_usage', { symbol: 'sum', path }), path).toBe(
          'SecurityError',
        )
      expect(await tools.codeOf('direct', 'find_usage', { symbol: 'sum', path: 'none.ts' })).toBe(
        'FileNotFound',
      )
      const role = { role: 'product_owner' }
      expect(await tools.codeOf('direct', 'find_usage', { symbol: 'sum' }, role)).toBe('PermissionDenied')
    },
  )
})

describe('a symbol', SLOW, () => {
  test('that is qualified gives what belongs to it', async () => {
    await using project = await makeFilesProject()
    project.put(
      'guard.ts',
      'export class Guard { constructor(private root: string) {} read() { return this.read() + this.root } }\nclass Other { read() {} }\n',
    )
    project.put(
      'use.ts',
      "import { Guard } from './guard.ts'\nconst one = new Guard('')\nfunction f(two: Guard, three: Other) { one.read(); two.read(); three.read(); Guard.read(); new Guard('').read() }\n",
    )
    expect(await usagesOf(project, 'Guard.read')).toEqual([
      'guard.ts:1:59 definition',
      'guard.ts:1:80 reference',
      'use.ts:3:44 reference',
      'use.ts:3:56 reference',
      'use.ts:3:84 reference',
      'use.ts:3:106 reference',
    ])
    expect(await usagesOf(project, 'Guard#read()')).toHaveLength(6)
    expect(await usagesOf(project, 'Other.read')).toEqual([
      'guard.ts:2:15 definition',
      'use.ts:3:70 reference',
    ])
    expect(await usagesOf(project, 'Guard.root')).toEqual([
      'guard.ts:1:42 definition',
      'guard.ts:1:94 reference',
    ])
    expect(await usagesOf(project, 'guard.Guard')).toEqual([
      'guard.ts:1:14 definition',
      'use.ts:1:10 import',
      'use.ts:2:17 reference',
      'use.ts:3:17 reference',
      'use.ts:3:78 reference',
      'use.ts:3:96 reference',
    ])
  })

  test('that is qualified by a class is not what else has the name in a file called as the class', async () => {
    await using project = await makeFilesProject()
    project.put(
      'Fault.ts',
      'function wrap(cause: unknown) { return cause }\n' +
        'export class Fault { cause?: unknown\n  constructor(cause: unknown) { this.cause = wrap(cause) } }\n',
    )
    project.put('Plain.ts', 'export class Plain {}\nexport function make() {}\nmake()\n')
    expect(await usagesOf(project, 'Fault.cause')).toEqual([
      'Fault.ts:2:22 definition',
      'Fault.ts:3:38 definition',
    ])
    expect(await usagesOf(project, 'Plain.make')).toEqual([
      'Plain.ts:2:17 definition',
      'Plain.ts:3:1 reference',
    ])
  })

  test('that is qualified is found where its class is not named', async () => {
    await using project = await makeFilesProject()
    project.put(
      'Guard.java',
      `class Guard {
  void read() { read(); run(this::read); }
  class In { void read() { read(); } void up() { Guard.this.read(); } }
  class Two { void up() { read(); } }
}
class Use { void f() { run(Guard::read); read(); } }
`,
    )
    expect(await usagesOf(project, 'Guard.read')).toEqual([
      'Guard.java:2:8 definition',
      'Guard.java:2:17 reference',
      'Guard.java:2:35 reference',
      'Guard.java:3:61 reference',
      'Guard.java:4:27 reference',
      'Guard.java:6:35 reference',
    ])
    project.put('made.js', 'Made.prototype.greet = function () {}\nOther.prototype.greet = 1\n')
    expect(await usagesOf(project, 'Made.greet')).toEqual(['made.js:1:16 definition'])
  })

  test('of a module is found by whatever the module is called there', async () => {
    await using project = await makeFilesProject()
    project.put('pay/rates.py', 'def rate(x): return x\n')
    project.put(
      'a.py',
      'import pay.rates as r\nfrom pay.rates import rate\nrate(1)\nr.rate(2)\nother.rate(3)\n',
    )
    expect(await usagesOf(project, 'rates.rate')).toEqual([
      'pay/rates.py:1:5 definition',
      'a.py:2:23 import',
      'a.py:3:1 reference',
      'a.py:4:3 reference',
    ])
    project.put('shop/cart.go', 'package cart\nfunc New() int { return 1 }\nfunc two() { New() }\n')
    project.put('main.go', 'package main\nimport "x/shop/cart"\nfunc main() { cart.New(); tree.New() }\n')
    expect(await usagesOf(project, 'cart.New')).toEqual([
      'shop/cart.go:2:6 definition',
      'main.go:3:20 reference',
      'shop/cart.go:3:14 reference',
    ])
    project.put(
      'geo.rs',
      'struct Sq;\nimpl Sq { fn side(&self) {} }\nfn f(s: &Sq, o: &Other) { s.side(); o.side(); println!("{}", s.side()) }\n',
    )
    expect(await usagesOf(project, 'Sq::side')).toEqual([
      'geo.rs:2:14 definition',
      'geo.rs:3:29 reference',
      'geo.rs:3:64 reference',
    ])
  })

  test('that is no name is refused', async () => {
    await using project = await makeFilesProject()
    for (const symbol of [
      '',
      'a b',
      'a..b',
      '.a',
      'a.',
      '1a',
      'a(',
      '$(x)',
      'a\nb',
      '*',
      'a:b',
      'x'.repeat(300),
    ])
      expect((await project.call(findUsage, { symbol })).code, symbol).toBe('ValidationError')
  })
})

describe('a language without a parser', SLOW, () => {
  verifies('TOOL-103', 'is an error for its file, and for a tree that has the name in no other', async () => {
    await using project = await makeFilesProject()
    project.put('a.swift', 'def greet; end\n')
    project.put('b.ts', 'other()\n')
    for (const input of [{ path: 'a.swift' }, { path: '.' }, { language: 'swift' }]) {
      const { code, message } = await project.call(findUsage, { symbol: 'greet', ...input })
      expect([code, message], JSON.stringify(input)).toEqual([
        'NotSupported',
        expect.stringMatching(/a\.swift|swift/),
      ])
    }
    project.put('c.ts', 'greet()\n')
    for (let file = 10; file < 40; file += 1) project.put(`more/${file}.lua`, 'greet()\n')
    const { data } = await project.call(findUsage, { symbol: 'greet' })
    expect(data?.usages).toHaveLength(1)
    expect(data?.files_unsupported).toHaveLength(UNSUPPORTED_SHOWN)
    expect(data?.files_unsupported[0]).toBe('a.swift')
  })

  test('does not count where another one is asked for', async () => {
    await using project = await makeFilesProject()
    project.put('a.ts', 'greet()\n')
    project.put('b.py', 'greet()\n')
    project.put('c.rb', 'greet()\n')
    expect(await usagesOf(project, 'greet', { language: 'py' })).toEqual(['b.py:1:1 reference'])
    const { code } = await project.call(findUsage, { symbol: 'greet', path: 'b.py', language: 'go' })
    expect(code).toBe('ValidationError')
  })
})

describe('hostile and large trees', SLOW, () => {
  verifies(
    'TOOL-103',
    'files that are no text, too large or too deep are skipped; the rest is found',
    async () => {
      await using project = await makeFilesProject()
      project.put('a.ts', 'needle()\n')
      project.put('binary.ts', 'needle()\0')
      project.put('latin.ts', Buffer.from('needle() // é', 'latin1'))
      project.put('large.ts', `needle()\n//${'x'.repeat(PARSED_MAX_BYTES)}\n`)
      project.put('deep.ts', `${'['.repeat(200_000)}needle${']'.repeat(200_000)}`)
      project.put('deep.py', `${'('.repeat(100_000)}needle`)
      project.put('broken.go', 'func ( { needle needle(((\n')
      project.put('z.ts', 'needle()\n')
      writeFileSync(join(project.base, 'outside.ts'), 'needle()\n')
      symlinkSync(join(project.base, 'outside.ts'), join(project.service_root, 'link.ts'))
      linkSync(join(project.base, 'outside.ts'), join(project.service_root, 'hard.ts'))
      const { data } = await project.call(findUsage, { symbol: 'needle' })
      const files = new Set(data?.usages.map(({ file }) => file))
      expect([...files]).toEqual(expect.arrayContaining(['a.ts', 'z.ts']))
      for (const file of ['binary.ts', 'latin.ts', 'large.ts', 'link.ts', 'hard.ts'])
        expect(files).not.toContain(file)
      expect(data?.files_skipped).toBeGreaterThanOrEqual(4)
    },
  )

  verifies(
    'TOOL-103',
    'a file that the parser does not come to an end with is skipped, and an error by itself',
    async () => {
      await using project = await makeFilesProject()
      project.put('a.ts', 'needle()\n')
      project.put('M.java', `${'a<'.repeat(100_000)}needle`)
      project.put('z.ts', 'needle()\n')
      const { data } = await project.call(findUsage, { symbol: 'needle' })
      expect(data?.usages.map(({ file }) => file)).toEqual(['a.ts', 'z.ts'])
      expect(data).toMatchObject({ files_skipped: 1, files_searched: 2, capped: false, total: 2 })
      const { code, message } = await project.call(findUsage, { symbol: 'needle', path: 'M.java' })
      expect([code, message]).toEqual(['NotSupported', expect.stringContaining('M.java')])
    },
  )

  test('definitions are shown first, and what does not fit is counted', async () => {
    await using project = await makeFilesProject()
    for (let file = 10; file < 20; file += 1) project.put(`a${file}.ts`, 'needle()\n'.repeat(30))
    project.put('z.ts', 'export function needle() {}\n')
    const { data } = await project.call(findUsage, { symbol: 'needle' })
    expect(data?.usages).toHaveLength(MATCH_LIMIT)
    expect(data?.usages[0]).toMatchObject({ file: 'z.ts', kind: 'definition' })
    expect(data?.usages[1]).toMatchObject({ file: 'a10.ts', kind: 'reference' })
    expect(data).toMatchObject({ total: 301, capped: true })
  })

  test('secrets in a line are hidden', async () => {
    await using project = await makeFilesProject()
    const token = `ghp_${'aB3dE6gH9k'.repeat(4).slice(0, 36)}`
    project.put('a.ts', `connect('${token}')\n`)
    const { data } = await project.call(findUsage, { symbol: 'connect' })
    expect(data?.usages[0]?.content).toContain('[REDACTED')
    expect(JSON.stringify(data)).not.toContain(token)
  })
})
