import { chmodSync, linkSync, lstatSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { deleteFile } from '../../src/domains/toolbox/files/delete-file.ts'
import { editFile } from '../../src/domains/toolbox/files/edit-file.ts'
import { listFiles } from '../../src/domains/toolbox/files/list-files.ts'
import { readFile } from '../../src/domains/toolbox/files/read-file.ts'
import { WRITE_MAX_BYTES, writeFile } from '../../src/domains/toolbox/files/write-file.ts'
import { fakePrivateKey, fakeProviderTokens } from '../../src/platform/redaction/fixtures/fake-secrets.ts'
import { verifies } from '../requirements/verifies.ts'
import { type FilesProject, makeFilesProject } from './files-project.fixture.ts'
import { replace } from './files-scenario.fixture.ts'

const TOKENS = fakeProviderTokens()

function edit(project: FilesProject, edits: object[]) {
  return project.call(editFile, { path: 'a.ts', edits })
}

describe('write_file', () => {
  verifies('TOOL-037', 'creates a file, then overwrites it, and tells path and size', async () => {
    await using project = await makeFilesProject()
    const first = await project.call(writeFile, { path: 'src/new/a.txt', content: 'first, long enough' })
    expect(first.data).toEqual({ path: 'src/new/a.txt', size: 18 })
    chmodSync(join(project.service_root, 'src/new/a.txt'), 0o600)
    const second = await project.call(writeFile, { path: 'src/new/a.txt', content: 'zwölf\r\n' })
    expect(second.data).toEqual({ path: 'src/new/a.txt', size: 8 })
    expect((await project.call(readFile, { path: 'src/new/a.txt' })).data?.content).toBe('zwölf\r\n')
    expect(lstatSync(join(project.service_root, 'src/new/a.txt')).mode & 0o777).toBe(0o600)
    expect(project.names()).toEqual(['src', 'src/new', 'src/new/a.txt'])
  })

  verifies('TOOL-038', 'writes no secret: a file stays as it was, or absent', async () => {
    await using project = await makeFilesProject()
    project.put('kept.txt', 'kept')
    for (const secret of [TOKENS.github_token, TOKENS.aws_access_key, fakePrivateKey()])
      for (const path of ['kept.txt', 'new/a.txt']) {
        const content = `first line\nconst key = '${secret}'\n`
        const { code, message } = await project.call(writeFile, { path, content })
        expect(code).toBe('SecurityError')
        expect(message).toBe('The content holds what looks like a secret. Nothing was written.')
      }
    expect(project.text('kept.txt')).toBe('kept')
    expect(project.names()).toEqual(['kept.txt'])
  })

  test('writes back no redacted text, and nothing that is no text', async () => {
    await using project = await makeFilesProject()
    project.put('a.txt', `token = ${TOKENS.github_token}\n`)
    const before = project.text('a.txt')
    for (const content of [
      'token = [REDACTED:github_token]\n',
      'token = [REDACTED]\n',
      'a\0b',
      'half \ud83d',
    ]) {
      const { code } = await project.call(writeFile, { path: 'a.txt', content })
      expect(code).toBe('ValidationError')
    }
    const marked = await project.call(writeFile, { path: 'a.txt', content: '[REDACTED:jwt]' })
    expect(marked.message).toContain('copied from a text whose secrets were hidden')
    expect(project.text('a.txt')).toBe(before)
    expect(project.names()).toEqual(['a.txt'])
  })

  test('has a limit, counted in bytes', async () => {
    await using project = await makeFilesProject()
    const half = 'é'.repeat(WRITE_MAX_BYTES / 2)
    expect((await project.call(writeFile, { path: 'a.txt', content: half })).data?.size).toBe(WRITE_MAX_BYTES)
    expect((await project.call(writeFile, { path: 'b.txt', content: `${half}x` })).code).toBe('FileTooLarge')
    const long = 'x'.repeat(WRITE_MAX_BYTES + 1)
    expect((await project.call(writeFile, { path: 'b.txt', content: long })).code).toBe('ValidationError')
    expect(project.names()).toEqual(['a.txt'])
  })

  test('does not write where only reading is allowed, nor outside, nor over locks', async () => {
    await using project = await makeFilesProject()
    project.putInProject('shared_contracts/s.txt', 's')
    const closed = ['../../shared_contracts/s.txt', '../other/a.txt', '.env', '.git/config', '.lock.a.txt']
    for (const path of closed)
      expect([path, (await project.call(writeFile, { path, content: 'x' })).code]).toEqual([
        path,
        'SecurityError',
      ])
    expect((await project.call(writeFile, { path: '.', content: 'x' })).code).toBe('IsADirectory')
    expect(project.names()).toEqual([])
  })
})

describe('delete_file', () => {
  verifies('TOOL-045', 'deletes one regular file and nothing else', async () => {
    await using project = await makeFilesProject()
    project.putInProject('shared_contracts/s.txt', 's')
    project.putInProject('services/other/x.txt', 'x')
    for (const path of ['a.txt', 'b.txt', 'dir/c.txt', '.env', 'secrets/k']) project.put(path, path)
    const at = (path: string) => join(project.service_root, path)
    symlinkSync(at('../other/x.txt'), at('out'))
    symlinkSync('b.txt', at('link'))
    linkSync(join(project.base, 'project/shared_contracts/s.txt'), at('second-name'))
    const before = project.names()
    const refused = {
      dir: 'IsADirectory',
      'dir/': 'IsADirectory',
      '*.txt': 'FileNotFound',
      out: 'SecurityError',
      link: 'ValidationError',
      'second-name': 'SecurityError',
      '../../shared_contracts/s.txt': 'SecurityError',
      '../other/x.txt': 'SecurityError',
      '.env': 'SecurityError',
      'secrets/k': 'SecurityError',
      'missing.txt': 'FileNotFound',
      'missing/a.txt': 'FileNotFound',
    }
    for (const [path, code] of Object.entries(refused))
      expect([path, (await project.call(deleteFile, { path })).code]).toEqual([path, code])
    expect(project.names()).toEqual(before)
    expect((await project.call(deleteFile, { path: 'a.txt' })).data?.message).toBe('Deleted a.txt.')
    expect(project.names()).toEqual(before.filter((name) => name !== 'a.txt'))
  })
})

describe('edit_file and secrets', () => {
  verifies('TOOL-039', 'brings no secret into a file, by whatever operation', async () => {
    await using project = await makeFilesProject()
    project.put('a.ts', '// one\nconst a = x + y\nlast\n')
    const before = project.bytes('a.ts')
    const token = TOKENS.openai_key as string
    const attempts = {
      plain: [replace('x', `'${token}'`)],
      regex: [replace('(x)', token, { match_mode: 'regex' })],
      ast: [replace('x + y', `'${token}'`, { match_mode: 'ast' })],
      append: [{ operation: 'append_after', spec: '// one', content: `const key = '${token}'` }],
      prepend: [{ operation: 'prepend_before', spec: '// one', content: token }],
      key: [replace('// one', fakePrivateKey())],
      last: [replace('// one', '// two'), replace('last', token)],
    }
    for (const [name, edits] of Object.entries(attempts))
      expect([name, (await edit(project, edits)).code]).toEqual([name, 'SecurityError'])
    expect(project.bytes('a.ts')).toEqual(before)
    expect(project.names()).toEqual(['a.ts'])
  })

  verifies('TOOL-039', 'sees a secret that comes together out of harmless parts', async () => {
    await using project = await makeFilesProject()
    const token = TOKENS.openai_key as string
    const [head, tail] = [token.slice(0, 9), token.slice(9)]
    project.put('a.ts', `const a = '${head}' + '${tail}'\nconst b = '${head}'\n`)
    const before = project.bytes('a.ts')
    const attempts = [
      [{ operation: 'delete', spec: "' + '" }],
      [replace("' + '", '')],
      [replace(`'${head}'\n`, `'${head}${tail.slice(0, 4)}\n`), replace("' + '", '')],
      [replace(`const b = '${head}`, `const b = '${head}${tail}`)],
      [replace(`(?m)${head.slice(-3)}'$`, `${head.slice(-3)}${tail}`, { match_mode: 'regex' })],
    ]
    for (const edits of attempts) expect((await edit(project, edits)).code).toBe('SecurityError')
    expect(project.bytes('a.ts')).toEqual(before)
  })

  test('does not stop at a secret that was in the file before', async () => {
    await using project = await makeFilesProject()
    const line = `const old = '${TOKENS.gitlab_token}'`
    project.put('a.ts', `one\n${line}\ntwo\n${fakePrivateKey()}\n`)
    const { code } = await edit(project, [
      replace('one', 'ONE'),
      { operation: 'prepend_before', spec: 'two', content: 'between' },
    ])
    expect(code).toBe('success')
    expect(project.text('a.ts')).toBe(`ONE\n${line}\nbetween\ntwo\n${fakePrivateKey()}\n`)
  })

  test('takes no redaction marks', async () => {
    await using project = await makeFilesProject()
    project.put('a.ts', `const a = '${TOKENS.github_token}'\n`)
    const shown = "const a = '[REDACTED:github_token]'"
    for (const edits of [[replace(shown, 'x')], [replace('const', `${shown}; const`)]]) {
      const { code, message, suggestion } = await edit(project, edits)
      expect(code).toBe('ValidationError')
      expect(`${message} ${suggestion}`).toContain('secrets were hidden')
    }
    expect(project.text('a.ts')).toContain(TOKENS.github_token)
  })

  test('shows no secret in the help for a spec that is not found', async () => {
    await using project = await makeFilesProject()
    const key = fakePrivateKey()
    project.put('a.ts', `one\nconst value = compute(1)\n${key}\n`)
    const middle = key.split('\n')[4] as string
    const near = await edit(project, [replace('const  value = compute(1)', 'x')])
    expect(near.suggestion).toContain('const value = compute(1)')
    const secret = await edit(project, [replace(middle.replace(/(.{20})/, '$1 '), 'x')])
    expect(secret.code).toBe('PatchError')
    expect(secret.suggestion).toContain('Nothing in the file is like it')
    expect(secret.suggestion).not.toContain(middle.slice(0, 20))
  })
})

describe('the file tools', () => {
  test('are for these roles', () => {
    const rolesOf = { readFile, listFiles, writeFile, editFile, deleteFile }
    const roles = Object.entries(rolesOf).map(([name, tool]) => [name, tool.roles.includes('product_owner')])
    expect(roles).toEqual([
      ['readFile', true],
      ['listFiles', true],
      ['writeFile', false],
      ['editFile', false],
      ['deleteFile', false],
    ])
  })
})
