import { createHash } from 'node:crypto'
import { linkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../requirements/verifies.ts'
import { startToolHub, type ToolHub, WAYS } from './surface-hub.fixture.ts'

const TEMPLATE = `Project: Shop
# Phase 3: Tooling

Some words about it.

## 3. Implementation: the toolbox
- [/] 3.1. **[Toolbox]: Git tools**
    - [x] 3.1.1. \`Git.Branch\`: make a branch
    - [/] 3.1.2. \`Git.Merge\`: merge it
    - [ ] 3.1.3. Push it
- [ ] 3.2. **[Toolbox]: Search**

## 4. Review
- [ ] 4.1. **[Docs]: Guide**
    - [ ] Write it
`

let tools: ToolHub
beforeAll(async () => {
  tools = await startToolHub()
})
afterAll(() => tools[Symbol.asyncDispose]())

const put = (text: string, name = 'status.md') => tools.project.write(`.flow/${name}`, text)
const ask = (task_id: string) => tools.call('direct', 'get_task_context', { task_id })
const contextOf = async (task_id: string) => (await ask(task_id)).data.context
const remove = (...names: string[]) => {
  for (const name of names) rmSync(join(tools.project.root, '.flow', name), { recursive: true, force: true })
}

/** What a list is refused with: the code and the place. */
async function refusalOf(text: string, task_id = '1'): Promise<string> {
  put(text)
  const { error } = await ask(task_id)
  return `${error?.code} ${error?.details?.problem} ${error?.details?.file}:${error?.details?.line}`
}

const refusedAt = (problem: string, place: string) => `ConfigDamaged ${problem} .flow/${place}`

describe('get_task_context', () => {
  verifies('TOOL-106', 'gives phase, service, feature and task of an id, over every surface', async () => {
    put(TEMPLATE)
    for (const way of WAYS) {
      const { data } = await tools.call(way, 'get_task_context', { task_id: '3.1.1' })
      expect(data.context, way).toMatchObject({
        task_id: '3.1.1',
        phase: 'Phase 3: Tooling',
        service: 'Toolbox',
        feature: 'Git tools',
        task: '`Git.Branch`: make a branch',
        section: '3. Implementation: the toolbox',
        status: 'done',
        marker: '[x]',
        file: '.flow/status.md',
        line: 8,
        header: { Project: 'Shop' },
        integrity: 'unchecked',
      })
      expect(await tools.codeOf(way, 'get_task_context', { task_id: '9.9' })).toBe('ValidationError')
    }
  })

  verifies('TOOL-106', 'knows what is beside, above and below a task', async () => {
    put(TEMPLATE)
    const { path, siblings, children } = await contextOf('3.1.2.')
    expect(path).toMatchObject([
      { id: '3.1', status: 'active', line: 7 },
      { id: '3.1.2', status: 'active', line: 9 },
    ])
    expect(siblings).toMatchObject([{ id: '3.1.1' }, { id: '3.1.3', status: 'pending' }])
    expect(children).toEqual([])
    expect((await contextOf('3.1')).children).toHaveLength(3)
    expect(await contextOf('3.1')).toMatchObject({ service: 'Toolbox', feature: 'Git tools' })
    expect((await contextOf('3.2')).siblings).toMatchObject([{ id: '3.1' }])
    expect(await contextOf('4.1.1')).toMatchObject({
      task: 'Write it',
      service: 'Docs',
      phase: 'Phase 3: Tooling',
    })
  })

  verifies('TOOL-106', 'gives a plain list ids by position', async () => {
    put(
      '- [x] Plan\n- [/] Build\n    - [/] Shop\n        - [ ] Cart\n            - [ ] Total\n            - [-] Tax\n',
    )
    expect(await contextOf('2.1.1.2')).toMatchObject({
      phase: 'Build',
      service: 'Shop',
      feature: 'Cart',
      task: 'Tax',
      status: 'skipped',
      line: 6,
    })
    expect(await contextOf('1')).toMatchObject({ phase: null, service: null, feature: null, task: 'Plan' })
    expect((await ask('2.2')).error?.code).toBe('ValidationError')
  })

  verifies('TOOL-106', 'takes the levels from headings where the list has none', async () => {
    const levels = { phase: 'Phase 3: Build', service: 'Shop', feature: 'Cart', task: 'Add up' }
    put('# Phase 3: Build\n## Service: Shop\n### Feature: Cart\n- [ ] 3.1.1 Add up\n- [ ] 24.04 upgrade\n')
    expect(await contextOf('3.1.1')).toMatchObject(levels)
    expect((await ask('24.04')).error?.code).toBe('ValidationError')
    put('# Phase 3: Build\n## Shop\n### Cart\n- [ ] 3.1.1: Add up\n')
    expect(await contextOf('3.1.1')).toMatchObject(levels)
    put('# Phase 3: Build\n## Service: Shop\n- [ ] 3.1. Cart\n    - [ ] 3.1.1. Add up\n')
    expect(await contextOf('3.1.1')).toMatchObject(levels)
  })

  verifies('TOOL-106', 'takes the list at the root of the project where .flow has none', async () => {
    remove('status.md')
    tools.project.write('status.md', TEMPLATE)
    try {
      expect(await contextOf('3.1.1')).toMatchObject({ service: 'Toolbox', file: 'status.md', line: 8 })
      put('- [ ] the list\n')
      expect(await contextOf('1')).toMatchObject({ task: 'the list', file: '.flow/status.md' })
      remove('status.md')
      tools.project.write('status.md', '- [?] b\n')
      expect((await ask('1')).error?.message).toContain('StatusParsingError: status.md:1 ')
    } finally {
      rmSync(join(tools.project.root, 'status.md'))
    }
  })

  verifies('TOOL-074', 'opens nothing by a list at the root that the policy closes', async () => {
    const config = tools.project.read('.flow/config.json')
    put(JSON.stringify({ ...JSON.parse(config), scope: { block_patterns: ['board'] } }), 'config.json')
    tools.project.write('board/plan.md', '- [ ] the merger\n')
    tools.project.write('status.md', '- [ ] one @ board/plan.md\n')
    try {
      const { error, text } = await tools.call('rest', 'get_task_context', { task_id: '1' })
      expect([error?.code, text.includes('merger')]).toEqual(['ConfigDamaged', false])
    } finally {
      put(config, 'config.json')
      for (const name of ['board', 'status.md'])
        rmSync(join(tools.project.root, name), { recursive: true, force: true })
    }
  })

  verifies('TOOL-106', 'says that there is no list where there is no .flow either', async () => {
    const folder = join(tools.project.root, '.flow')
    renameSync(folder, `${folder}-away`)
    try {
      expect((await ask('1')).error?.code).toBe('FileNotFound')
    } finally {
      rmSync(folder, { recursive: true, force: true })
      renameSync(`${folder}-away`, folder)
    }
  })

  verifies('TOOL-106', 'follows references to other files of the list', async () => {
    put('- [x] Before\n- [/] Phase 3 @ phases/phase_3.md\n- [ ] Later @ phases/none.md\n')
    put(TEMPLATE, 'phases/phase_3.md')
    expect(await contextOf('3.1.1')).toMatchObject({
      phase: 'Phase 3: Tooling',
      file: '.flow/phases/phase_3.md',
      line: 8,
      path: [{ name: 'Phase 3', file: '.flow/status.md' }, { id: '3.1' }, { id: '3.1.1' }],
    })
    put('- [ ] a\n    - [ ] b\n', 'phases/phase_3.md')
    expect(await contextOf('2.1.1')).toMatchObject({ phase: 'Phase 3', service: 'a', task: 'b' })
    expect(await contextOf('3')).toMatchObject({ task: 'Later', sub_file: 'phases/none.md', children: [] })
  })

  verifies('TOOL-106', 'counts the tasks of a sub-file on from those beside the reference', async () => {
    put('- [ ] a @ parts.md\n    - [ ] own\n')
    put('- [ ] b\n    - [ ] deep\n- [ ] c\n', 'parts.md')
    const names = await Promise.all(
      ['1.1', '1.2', '1.2.1', '1.3'].map(async (id) => (await contextOf(id)).task),
    )
    expect(names).toEqual(['own', 'b', 'deep', 'c'])
    remove('parts.md')
  })

  verifies('TOOL-106', 'says of a list that is too large that it is', async () => {
    put('x'.repeat(1_048_577))
    expect((await ask('1')).error?.message).toBe(
      'StatusParsingError: .flow/status.md is larger than 1048576 bytes.',
    )
  })

  verifies('TOOL-106', 'refuses a list that breaks its rules, naming file and line', async () => {
    expect(await refusalOf('- [ ] a\n- [?] b\n')).toBe(refusedAt('StatusParsingError', 'status.md:2'))
    expect(await refusalOf('- [/] a\n- [/] b\n')).toBe(refusedAt('StatusConflict', 'status.md:2'))
    expect(await refusalOf('- [ ] 1. a\n- [ ] 1. b\n')).toBe(refusedAt('StatusConflict', 'status.md:2'))
    expect(await refusalOf('- [/] a @ none.md\n')).toBe(refusedAt('StatusParsingError', 'status.md:1'))
    for (const path of [
      '../config.json',
      '/etc/passwd',
      'a/../../x',
      'file:x',
      'javascript:x',
      'data:x',
      'a\\b',
    ])
      expect(await refusalOf(`- [ ] a @ ${path}\n`), path).toBe(
        refusedAt('StatusParsingError', 'status.md:1'),
      )
    put('- [ ] b\n- [ ] c @ status.md\n', 'sub.md')
    expect(await refusalOf('- [ ] a @ sub.md\n')).toBe(refusedAt('StatusParsingError', 'sub.md:2'))
    put('- [ ] b\n   - [ ] c\n', 'sub.md')
    expect(await refusalOf('- [ ] a @ sub.md\n')).toBe(refusedAt('StatusParsingError', 'sub.md:2'))
    const { message } = (await ask('1')).error ?? {}
    expect(message).toContain('.flow/sub.md:2')
  })

  verifies('TOOL-106', 'trusts a list only while it is the one that was saved', async () => {
    const hash = createHash('sha256').update(TEMPLATE).digest('hex')
    put(TEMPLATE)
    put(JSON.stringify({ hash, timestamp: '2026-01-01T00:00:00Z' }), 'status.meta')
    expect(await contextOf('3.1')).toMatchObject({ integrity: 'verified' })
    expect(await refusalOf(`${TEMPLATE}\n`, '3.1')).toBe(
      'ConfigDamaged IntegrityError .flow/status.md:undefined',
    )
    put(JSON.stringify({ hash }), 'status.meta')
    put(TEMPLATE)
    expect(await contextOf('3.1')).toMatchObject({ integrity: 'verified' })
    for (const broken of ['{', '{"hash":"x"}', '[]']) {
      put(broken, 'status.meta')
      expect(await refusalOf(TEMPLATE, '3.1')).toBe(
        'ConfigDamaged IntegrityError .flow/status.meta:undefined',
      )
    }
    remove('status.meta')
  })

  verifies('TOOL-106', 'reads plain files of the list and nothing else, and hides secrets', async () => {
    const outside = join(tools.project.base, 'outside.md')
    tools.project.write('../outside.md', '- [ ] from outside\n')
    const place = join(tools.project.root, '.flow/status.md')
    for (const link of [symlinkSync, linkSync]) {
      remove('status.md')
      link(outside, place)
      const { error, text } = await tools.call('rest', 'get_task_context', { task_id: '1' })
      expect([error?.code, text.includes('from outside')]).toEqual(['ConfigDamaged', false])
    }
    remove('status.md')
    expect((await ask('1')).error?.code).toBe('FileNotFound')
    put('- [ ] a\0b\n')
    expect((await ask('1')).error?.code).toBe('ConfigDamaged')
    const token = `ghp_${'aB3dE6gH9k'.repeat(4).slice(0, 36)}`
    put(`- [ ] use ${token}\n`)
    const { text } = await ask('1')
    expect(text).toContain('[REDACTED')
    expect(text).not.toContain(token)
  })

  test('is open to every role', async () => {
    put(TEMPLATE)
    for (const role of ['dev', 'sre', 'release_manager', 'product_owner'])
      expect(await tools.codeOf('direct', 'get_task_context', { task_id: '3.1' }, { role }), role).toBe(
        'success',
      )
  })
})
