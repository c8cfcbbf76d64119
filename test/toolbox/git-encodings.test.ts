import { describe, expect, test } from 'vitest'
import { gitAdd } from '../../src/domains/toolbox/git/git-add.ts'
import { gitDiff } from '../../src/domains/toolbox/git/git-diff.ts'
import { type GitProject, makeShop } from '../../src/domains/toolbox/git/git-project.fixture.ts'

const WORDS = Array.from({ length: 12 }, (_, at) => `  - garden${at}gate`)
const list = (last: string) => ['passwords:', ...WORDS, `  - ${last}`, ''].join('\n')
const wide = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')
/** In these, what a file of ASCII says is other text, in which nobody knows a secret. */
const CODES = ['IBM037', 'IBM500', 'UTF-16LE', 'UTF-16BE']

function encode(project: GitProject, path: string, encoding: string): void {
  project.put('.gitattributes', `${path} working-tree-encoding=${encoding}\n`)
}

describe('an encoding that .gitattributes names', () => {
  test.each(CODES)('does not take %s past what hides secrets', async (encoding) => {
    await using project = makeShop()
    project.put('list.yaml', list('first'))
    project.commitAll()
    project.put('list.yaml', list('harbor7lantern'))
    encode(project, 'list.yaml', encoding)
    const { stdout, truncated } = await project.call(gitDiff, {})
    expect(stdout).not.toMatch(/^[+](?!\+\+ )/m)
    expect(truncated).toBe(true)
    expect(await project.codeOf(gitAdd, { files: ['list.yaml'] })).toBe('NotSupported')
    expect(project.git('diff', '--cached', '--name-only')).toBe('')
  })

  test('shows and stages what is written so, with what the whole file hides hidden', async () => {
    await using project = makeShop()
    encode(project, '*.yaml', 'UTF-16')
    project.put('list.yaml', wide(list('first')))
    project.put('plain.yaml', wide('name: one\n'))
    project.commitAll()
    project.put('list.yaml', wide(list('harbor7lantern')))
    project.put('plain.yaml', wide('name: grün\n'))
    const { stdout, truncated } = await project.call(gitDiff, {})
    expect(stdout).toContain('+name: grün')
    expect(stdout).toMatch(/^\+ {2}- \[REDACTED/m)
    expect(stdout).not.toContain('harbor')
    expect(truncated).toBe(false)
    const files = ['list.yaml', 'plain.yaml']
    expect((await project.call(gitAdd, { files })).added.toSorted()).toEqual(files)
    expect(project.git('show', ':services/shop/plain.yaml')).toBe('name: grün\n')
  })

  test('of one byte a letter is as good as none', async () => {
    await using project = makeShop()
    encode(project, '*.txt', 'ISO-8859-1')
    project.commitAll()
    project.put('a.txt', Buffer.from('grün\n', 'latin1'))
    expect((await project.call(gitDiff, {})).stdout).toContain('+grün')
    expect((await project.call(gitAdd, { files: ['a.txt'] })).added).toEqual(['a.txt'])
  })
})
