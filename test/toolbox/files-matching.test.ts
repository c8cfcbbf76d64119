import { describe, expect, test } from 'vitest'
import { editFile } from '../../src/domains/toolbox/files/edit-file.ts'
import { EDITS_MAX } from '../../src/domains/toolbox/loom/edit.ts'
import { countMatches } from '../../src/domains/toolbox/search/count-matches.ts'
import { verifies } from '../requirements/verifies.ts'
import { makeFilesProject } from './files-project.fixture.ts'
import { append, playAll, prepend, remove, replace } from './files-scenario.fixture.ts'

describe('edit_file operations', () => {
  verifies('TOOL-047', 'are these four', async () => {
    const before = 'a\nb\n'
    const refused = ['insert', 'Replace', '', undefined, 1].map((operation) => ({
      before,
      edits: [{ operation, spec: 'a', content: 'x' }],
      code: 'ValidationError',
    }))
    const taken = ['replace', 'append_after', 'prepend_before', 'delete'].map((operation) => ({
      before: 'a',
      edits: [{ operation, spec: 'a', content: 'x' }],
      after: { replace: 'x', append_after: 'a\nx', prepend_before: 'x\na', delete: '' }[operation] as string,
    }))
    await playAll([...refused, ...taken])
  })

  verifies('TOOL-048', 'replace puts content in the place of each match', () =>
    playAll([
      { before: 'old_var = 1\n', edits: [replace('old_var = 1', 'new_var = 2')], after: 'new_var = 2\n' },
      { before: 'a-a\na', edits: [replace('a', 'bb', { count: 3 })], after: 'bb-bb\nbb' },
      { before: 'one\ntwo\n', edits: [replace('one\ntwo', '')], after: '\n' },
      { before: 'aaa', edits: [replace('aa', 'b')], after: 'ba' },
    ]),
  )

  verifies('TOOL-049', 'append_after puts content on a new line after the match', () =>
    playAll([
      { before: 'one\ntwo\n', edits: [append('one', 'x')], after: 'one\nx\ntwo\n' },
      { before: 'one', edits: [append('one', 'x\ny')], after: 'one\nx\ny' },
      { before: 'a b\n', edits: [append('a', 'x')], after: 'a\nx b\n' },
      { before: 'one\r\ntwo\r\n', edits: [append('one', 'x')], after: 'one\r\nx\r\ntwo\r\n' },
    ]),
  )

  verifies('TOOL-050', 'prepend_before puts content on a line of its own before the match', () =>
    playAll([
      { before: 'one\ntwo\n', edits: [prepend('two', 'x')], after: 'one\nx\ntwo\n' },
      { before: 'one', edits: [prepend('one', 'x')], after: 'x\none' },
      { before: '\ufeffone\r\n', edits: [prepend('one', 'x')], after: '\ufeffx\r\none\r\n' },
    ]),
  )

  verifies('TOOL-051', 'delete removes the match and ignores content', () =>
    playAll([
      { before: 'one\ntwo\n', edits: [remove('one\n', { content: 'zzz' })], after: 'two\n' },
      { before: 'a b a', edits: [remove('a', { count: 2 })], after: ' b ' },
    ]),
  )

  test('other than delete need content', () =>
    playAll([
      {
        before: 'a',
        edits: [{ operation: 'replace', spec: 'a' }],
        code: 'ValidationError',
        says: ['content'],
      },
      { before: 'a', edits: [replace('a', '')], after: '' },
    ]))
})

describe('edit_file matching', () => {
  verifies('TOOL-052', 'is literal by default', () =>
    playAll([
      { before: 'axb', edits: [replace('a.b', 'x')], code: 'PatchError', says: ['Expected 1, Found 0'] },
      {
        before: 'a b',
        edits: [replace('a  b', 'x')],
        code: 'PatchError',
        says: ['but for blanks', 'line 1'],
      },
      { before: 'A', edits: [replace('a', 'x')], code: 'PatchError' },
      { before: 'axb a.b', edits: [replace('a.b', 'x')], after: 'axb x' },
      { before: 'f(x) [a]* $1', edits: [replace('f(x) [a]*', '^.+$')], after: '^.+$ $1' },
      { before: 'a  b', edits: [replace('a  b', 'c', { match_mode: 'exact' })], after: 'c' },
    ]),
  )

  verifies('TOOL-053', 'by regex puts content in as it is', () =>
    playAll(
      ['$1 \\1', '$& $$ $` $<name>', '\\n \\0 \\g<1>', '${1}'].map((content) => ({
        before: 'key = (value)\nother\n',
        edits: [replace('(key) = \\(([a-z]+)\\)', content, { match_mode: 'regex' })],
        after: `${content}\nother\n`,
      })),
    ),
  )

  test('by regex knows lines, refuses places without text and what the engine does not know', () =>
    playAll([
      { before: 'a\r\nb\r\n', edits: [replace('^b$', 'c', { match_mode: 'regex' })], after: 'a\r\nc\r\n' },
      { before: '\ufeffa b', edits: [replace('^a', 'c', { match_mode: 'regex' })], after: '\ufeffc b' },
      {
        before: 'abc',
        edits: [replace('x*', 'c', { match_mode: 'regex', count: 4 })],
        code: 'ValidationError',
      },
      { before: 'abc', edits: [replace('(?=b)', 'c', { match_mode: 'regex' })], code: 'ValidationError' },
      { before: 'aa', edits: [replace('(a)\\1', 'c', { match_mode: 'regex' })], code: 'ValidationError' },
      {
        before: 'f(x)',
        edits: [replace('f(x)', 'c', { match_mode: 'regex' })],
        code: 'PatchError',
        says: ['match_mode exact'],
      },
      { before: 'a', edits: [replace('a', 'b', { match_mode: 'glob' })], code: 'ValidationError' },
    ]))

  verifies('TOOL-042', 'by regex counts as count_matches does', async () => {
    await using project = await makeFilesProject()
    for (const [text, regex] of [
      ['a a\na', 'a'],
      ['\ufeffab\r\nab\r\n', '^ab$'],
      ['x😀é\nx', '.'],
      ['aaa', 'aa'],
    ] as const) {
      project.put('a.txt', text)
      const count = (await project.call(countMatches, { path: 'a.txt', regex })).data?.count as number
      const edit = (expected: number) => replace(regex, 'b', { match_mode: 'regex', count: expected })
      const wrong = await project.call(editFile, { path: 'a.txt', edits: [edit(count + 1)] })
      expect(wrong.message).toContain(`Expected ${count + 1}, Found ${count}`)
      const right = await project.call(editFile, { path: 'a.txt', edits: [edit(count)] })
      expect([right.code, right.data?.edits[0]?.matches]).toEqual(['success', count])
    }
    project.put('a.txt', 'a a\na')
    expect((await project.call(countMatches, { path: 'a.txt', regex: 'a' })).data?.count).toBe(3)
  })

  verifies('TOOL-055', 'expects one match unless told otherwise', () =>
    playAll([
      { before: 'a\na\n', edits: [replace('a', 'b')], code: 'PatchError' },
      { before: 'a\n', edits: [replace('a', 'b')], after: 'b\n' },
    ]),
  )

  verifies('TOOL-056', 'stops at any other number of matches, and says where they are', () =>
    playAll([
      {
        before: 'one\n',
        edits: [replace('two', 'x')],
        code: 'PatchError',
        says: ['Match count mismatch: Expected 1, Found 0'],
      },
      {
        before: 'one\nx\none\n',
        edits: [replace('one', 'x')],
        code: 'PatchError',
        says: ['Match count mismatch: Expected 1, Found 2', 'lines 1, 3'],
      },
      {
        before: 'one\none\n',
        edits: [replace('one', 'x', { count: 3 })],
        code: 'PatchError',
        says: ['Expected 3, Found 2', 'lines 1, 2', 'Set count to 2', 'or loosen the spec'],
      },
      { before: '', edits: [replace('one', 'x')], code: 'PatchError', says: ['Expected 1, Found 0'] },
      {
        before: 'a\n\tconst value = compute(alpha)\nb\n',
        edits: [replace('const valeu = compute(alpha)', 'x')],
        code: 'PatchError',
        says: ['line 2', 'compute(alpha)'],
      },
      {
        before: 'a\r\nb\r\nc\r\n',
        edits: [replace('b\nc', 'x')],
        code: 'PatchError',
        says: ['lines 2 to 3', '\\r\\n'],
      },
    ]),
  )

  verifies('TOOL-057', 'counts in the file as it was before the call', () =>
    playAll([
      {
        before: 'one\ntwo\n',
        edits: [replace('one', 'three'), replace('three', 'x')],
        code: 'PatchError',
        says: ['edit 2 of 2', 'Expected 1, Found 0'],
      },
      { before: 'a\nb\n', edits: [replace('a', 'b'), replace('b', 'a')], after: 'b\na\n' },
      { before: 'a\nb\n', edits: [remove('a'), append('b', 'a')], after: '\nb\na\n' },
    ]),
  )

  verifies('TOOL-058', 'needs edits, and a spec in each', async () => {
    await using project = await makeFilesProject()
    project.put('a.txt', 'a')
    const tooMany = Array.from({ length: EDITS_MAX + 1 }, () => replace('a', 'b'))
    const refused: unknown[] = [
      [],
      undefined,
      null,
      {},
      replace('a', 'b'),
      [replace('', 'b')],
      [{ operation: 'replace', content: 'b' }],
      [replace('a', 'b', { spec: 1 })],
      [replace('a', 'b', { count: 0 })],
      [replace('a', 'b', { count: '1' })],
      [replace('a', 'b', { surprise: true })],
      [replace('\ud83d', 'b')],
      [null],
      tooMany,
    ]
    for (const edits of refused)
      expect((await project.call(editFile, { path: 'a.txt', edits })).code).toBe('ValidationError')
    expect(project.text('a.txt')).toBe('a')
  })
})
