import { chmodSync, chownSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { editFile } from '../../src/domains/toolbox/files/edit-file.ts'
import { verifies } from '../requirements/verifies.ts'
import { makeFilesProject } from './files-project.fixture.ts'
import { append, playAll, prepend, remove, replace } from './files-scenario.fixture.ts'

describe('edit_file as a whole', () => {
  verifies('TOOL-063', 'rejects edits that touch the same line', () =>
    playAll([
      {
        before: 'a\nb\nc d\n',
        edits: [replace('c', 'x'), replace('d', 'y')],
        code: 'ValidationError',
        says: ['line 3'],
      },
      { before: 'a\nb\nc\n', edits: [replace('a\nb', 'x'), replace('b\nc', 'y')], code: 'ValidationError' },
      { before: 'a\nb\nc\n', edits: [remove('b'), replace('a\nb\nc', 'y')], code: 'ValidationError' },
      { before: 'a\nb\n', edits: [replace('a', 'x'), replace('a', 'y')], code: 'ValidationError' },
      { before: 'a\nb\n', edits: [append('a', 'x'), prepend('a', 'y')], code: 'ValidationError' },
      { before: 'a b\nb\n', edits: [replace('b', 'x', { count: 2 }), remove('a')], code: 'ValidationError' },
      { before: 'a\nb\n', edits: [remove('a\n'), replace('b', 'x')], after: 'x\n' },
      { before: 'a a\nb\n', edits: [replace('a', 'x', { count: 2 }), remove('b')], after: 'x x\n\n' },
    ]),
  )

  verifies('TOOL-063', 'knows the lines of a file that has carriage returns only', () =>
    playAll([
      { before: 'a\rb\rc\r', edits: [replace('a', 'x'), replace('b', 'y\nz')], after: 'x\ry\rz\rc\r' },
      {
        before: 'a\rb c\r',
        edits: [replace('b', 'x'), replace('c', 'y')],
        code: 'ValidationError',
        says: ['line 2'],
      },
      {
        before: 'one\rtwo\rthree\r',
        edits: [replace('two\nthree', 'x')],
        code: 'PatchError',
        says: ['but for the line breaks, at lines 2 to 3', '\\r alone', '"two\\rthree\\r"'],
      },
    ]),
  )

  test('spells signs out that a spec cannot be told from', () =>
    playAll([
      { before: 'a\u00a0b\n', edits: [replace('a b', 'x')], code: 'PatchError', says: ['"a\\u00a0b\\n"'] },
    ]))

  verifies('TOOL-064', 'makes all edits or none', () =>
    playAll([
      {
        before: 'a\nb\nc\n',
        edits: [replace('a', 'x'), replace('b', 'y'), replace('d', 'z')],
        code: 'PatchError',
        says: ['edit 3 of 3'],
      },
      {
        before: 'a\nb\nc\n',
        edits: [replace('a', 'x'), replace('(', 'y', { match_mode: 'regex' })],
        code: 'ValidationError',
      },
      {
        before: 'a\nb\nc\n',
        edits: [replace('c', 'x'), append('a', 'y'), replace('b', 'z', { match_mode: 'regex' })],
        after: 'a\ny\nz\nx\n',
      },
      // What is put in after one match stands where the next one begins.
      { before: 'one\ntwo', edits: [replace('two', 'x'), append('one\n', 'y')], after: 'one\n\nyx' },
    ]),
  )

  verifies(
    'TOOL-065',
    'keeps permissions, byte order mark and line endings, and leaves nothing behind',
    async () => {
      await using project = await makeFilesProject()
      project.put('src/main.ts', '\ufeffone\r\ntwo\r\nthree', 0o600)
      const at = join(project.service_root, 'src/main.ts')
      chmodSync(at, 0o600)
      const old = lstatSync(at).ino
      const edits = [replace('one', 'a\nb'), append('two', 'x\ny'), replace('three', 'z\r\nend')]
      expect((await project.call(editFile, { path: 'src/main.ts', edits })).code).toBe('success')
      expect(project.text('src/main.ts')).toBe('\ufeffa\r\nb\r\ntwo\r\nx\r\ny\r\nz\r\nend')
      expect(lstatSync(at).mode & 0o777).toBe(0o600)
      // Another file took the name in one step; nobody saw half of it.
      expect(lstatSync(at).ino).not.toBe(old)
      expect(project.names()).toEqual(['src', 'src/main.ts'])

      chmodSync(at, 0o755)
      const mixed = 'one\r\ntwo\nthree\r\n'
      project.put('src/main.ts', mixed)
      await project.call(editFile, { path: 'src/main.ts', edits: [append('two', 'x\ny')] })
      expect(project.text('src/main.ts')).toBe('one\r\ntwo\nx\ny\nthree\r\n')
      expect(lstatSync(at).mode & 0o777).toBe(0o755)
      expect(project.names()).toEqual(['src', 'src/main.ts'])
    },
  )

  test('leaves a file to whom it belongs', async () => {
    await using project = await makeFilesProject()
    project.put('src/main.ts', 'one\n')
    const at = join(project.service_root, 'src/main.ts')
    // Only root can give a file away; anyone else edits files of their own.
    if (process.getuid?.() === 0) chownSync(at, 12_345, 23_456)
    const { uid, gid } = lstatSync(at)
    await project.call(editFile, { path: 'src/main.ts', edits: [replace('one', 'two')] })
    expect(project.text('src/main.ts')).toBe('two\n')
    expect([lstatSync(at).uid, lstatSync(at).gid]).toEqual([uid, gid])
  })

  test('takes a spec that was copied with the byte order mark', () =>
    playAll([
      { before: '\ufeffone\none', edits: [replace('\ufeffone', '\ufefftwo')], after: '\ufefftwo\none' },
      { before: '\ufeffone', edits: [prepend('\ufeffone', 'x')], after: '\ufeffx\none' },
      { before: '\ufeffone', edits: [remove('\ufeff')], code: 'ValidationError' },
      { before: 'one', edits: [remove('\ufeffone')], code: 'PatchError' },
    ]))

  test('does not cut a CRLF in two', () =>
    playAll([
      { before: 'a\r\nb\r\n', edits: [replace('\nb', 'x')], code: 'ValidationError', says: ['\\r\\n'] },
      { before: 'a\r\nb\r\n', edits: [replace('a\r', 'x')], code: 'ValidationError' },
      {
        before: 'a\r\nb\r\n',
        edits: [replace('\\n', 'x', { match_mode: 'regex', count: 2 })],
        code: 'ValidationError',
      },
      { before: 'a\r\nb\r\n', edits: [replace('a\r\nb', 'x\ny')], after: 'x\r\ny\r\n' },
    ]))

  test('tells where the changes are in the new file', async () => {
    await using project = await makeFilesProject()
    project.put('a.txt', 'one\ntwo\nthree\nthree\n')
    const edits = [replace('three', 'x', { count: 2 }), append('one', 'a\nb')]
    const { data } = await project.call(editFile, { path: 'a.txt', edits })
    expect(project.text('a.txt')).toBe('one\na\nb\ntwo\nx\nx\n')
    expect(data).toEqual({
      message: 'Applied 2 edits to a.txt.',
      path: 'a.txt',
      edits_applied: 2,
      edits: [
        { matches: 2, lines: [5, 6] },
        { matches: 1, lines: [2] },
      ],
    })
  })

  test('says what is wrong with the file', async () => {
    await using project = await makeFilesProject()
    project.put('binary', Buffer.from([0, 1]))
    project.put('large.txt', 'x'.repeat(1_048_577))
    project.put('src/a.txt', '')
    const codeOf = async (path: string) =>
      (await project.call(editFile, { path, edits: [replace('x', 'y')] })).code
    expect(await codeOf('binary')).toBe('BinaryFile')
    const large = await project.call(editFile, { path: 'large.txt', edits: [replace('x', 'y')] })
    expect(large).toMatchObject({
      code: 'FileTooLarge',
      suggestion: expect.stringContaining('No file over 1048576 bytes can be edited'),
    })
    expect(await codeOf('missing.txt')).toBe('FileNotFound')
    expect(await codeOf('missing/a.txt')).toBe('FileNotFound')
    expect(await codeOf('src')).toBe('IsADirectory')
    expect(await codeOf('../other/a.txt')).toBe('SecurityError')
    expect(await codeOf('n'.repeat(251))).toBe('PathTooLong')
    expect(await codeOf('a/'.repeat(3_000))).toBe('PathTooLong')
    expect(await codeOf('')).toBe('ValidationError')
    expect(project.names()).toEqual(['binary', 'large.txt', 'src', 'src/a.txt'])
  })

  test('does not let a file grow without end', async () => {
    await using project = await makeFilesProject()
    project.put('a.txt', 'x'.repeat(2_000))
    const edits = [replace('x', 'y'.repeat(1_000), { count: 2_000 })]
    expect((await project.call(editFile, { path: 'a.txt', edits })).code).toBe('FileTooLarge')
    const umlauts = [replace('x', 'é'.repeat(500), { count: 2_000 })]
    expect((await project.call(editFile, { path: 'a.txt', edits: umlauts })).code).toBe('FileTooLarge')
    expect(project.text('a.txt')).toBe('x'.repeat(2_000))
  })
})
