import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listFiles } from '../../src/domains/toolbox/files/list-files.ts'
import { READ_MAX_BYTES, readFile } from '../../src/domains/toolbox/files/read-file.ts'
import { verifies } from '../requirements/verifies.ts'
import { makeFilesProject } from './files-project.fixture.ts'

describe('read_file', () => {
  verifies('TOOL-033', 'returns the whole text, whatever characters and line endings it has', async () => {
    await using project = await makeFilesProject()
    for (const content of ['Grüße, 世界 😀\r\nzweite Zeile\n', '', '\ufeffwith a mark', 'lone \r here']) {
      project.put('a.txt', content)
      const { code, data } = await project.call(readFile, { path: 'a.txt' })
      expect([code, data?.content]).toEqual(['success', content])
    }
  })

  verifies('TOOL-034', 'reads 102400 bytes and fails on one more, with nothing cut', async () => {
    await using project = await makeFilesProject()
    project.put('fits.txt', 'x'.repeat(102_400))
    project.put('over.txt', 'x'.repeat(102_401))
    const fits = await project.call(readFile, { path: 'fits.txt' })
    expect(fits.data?.content.length).toBe(102_400)
    const over = await project.call(readFile, { path: 'over.txt' })
    expect(over).toMatchObject({ code: 'FileTooLarge', data: undefined })
    expect(over.suggestion).toContain('max_bytes')
    const raised = await project.call(readFile, { path: 'over.txt', max_bytes: 102_401 })
    expect(raised.data?.content.length).toBe(102_401)
    expect((await project.call(readFile, { path: 'fits.txt', max_bytes: 102_399 })).code).toBe('FileTooLarge')
  })

  verifies('TOOL-035', 'takes positive integers for max_bytes, and nothing else', async () => {
    await using project = await makeFilesProject()
    project.put('a.txt', 'a')
    for (const max_bytes of [0, -1, 'x', 1.5, null, Number.NaN])
      expect((await project.call(readFile, { path: 'a.txt', max_bytes })).code).toBe('ValidationError')
    for (const max_bytes of [1, READ_MAX_BYTES, READ_MAX_BYTES + 1, 10_000_000])
      expect((await project.call(readFile, { path: 'a.txt', max_bytes })).code).toBe('success')
    project.put('huge.txt', 'x'.repeat(READ_MAX_BYTES + 1))
    const huge = await project.call(readFile, { path: 'huge.txt', max_bytes: 10_000_000 })
    expect(huge).toMatchObject({
      code: 'FileTooLarge',
      suggestion: expect.stringMatching(/^Use search_file/),
    })
  })

  verifies('TOOL-036', 'fails on whatever is no UTF-8 text', async () => {
    await using project = await makeFilesProject()
    const binary = {
      nul: [0x61, 0x00, 0x62],
      latin1: [0x47, 0x72, 0xfc],
      'cut off': [0x61, 0xf0, 0x9f, 0x98],
      overlong: [0xc0, 0xaf],
      surrogate: [0xed, 0xa0, 0x80],
      'beyond unicode': [0xf4, 0x90, 0x80, 0x80],
      utf16: [0xff, 0xfe, 0x61, 0x00],
    }
    for (const [name, bytes] of Object.entries(binary)) {
      project.put(name, Buffer.from(bytes))
      expect([name, (await project.call(readFile, { path: name })).code]).toEqual([name, 'BinaryFile'])
    }
  })

  verifies(
    'TOOL-079',
    'says the same of a closed name whether or not it is there, and that it is closed',
    async () => {
      await using project = await makeFilesProject()
      const before = await project.call(readFile, { path: '.env' })
      project.put('.env', 'A=1')
      for (const told of [before, await project.call(readFile, { path: '.env' })])
        expect([told.code, told.message, told.suggestion]).toEqual([
          'SecurityError',
          'The path leads into a closed zone.',
          'Names such as .env, .git, .flow, secrets and node_modules are closed to every tool: go on without it.',
        ])
    },
  )

  test('says what else is there when a file is missing', async () => {
    await using project = await makeFilesProject()
    project.put('src/main.ts', '')
    project.put('src/unlike.ts', '')
    for (const path of ['src/Main.ts', 'src/main.js', 'src/mains.ts', 'src/maim.ts']) {
      const { code, message, suggestion } = await project.call(readFile, { path })
      expect([code, message]).toEqual(['FileNotFound', `File ${path} does not exist.`])
      expect(suggestion).toContain('list_files')
      expect(suggestion).toContain('Did you mean src/main.ts?')
    }
    project.put('src/latin.ts', '')
    expect((await project.call(readFile, { path: 'src/bin.dat' })).suggestion).not.toContain('Did you mean')
    const elsewhere = await project.call(readFile, { path: 'src/main.js' }, { role: 'product_owner' })
    expect(elsewhere.suggestion).not.toContain('main.ts')
    expect((await project.call(readFile, { path: 'src' })).code).toBe('IsADirectory')
  })

  verifies('TOOL-012', 'knows a path that counts from the project, or has other signs in it', async () => {
    await using project = await makeFilesProject()
    project.put('src/deep/main.ts', '')
    const folders = project.service_root.split('/').slice(-2)
    for (const path of [
      `${folders.join('/')}/src/deep/main.ts`,
      `${folders.at(-1)}/src/deep/main.ts`,
      'src\\deep\\main.ts',
    ]) {
      const { code, suggestion } = await project.call(readFile, { path })
      expect([path, code, suggestion]).toEqual([
        path,
        'FileNotFound',
        'Check the path or use list_files to see available files. Did you mean src/deep/main.ts?',
      ])
    }
  })

  verifies('TOOL-034', 'says how large a file is that is too large', async () => {
    await using project = await makeFilesProject()
    project.put('large.txt', 'x'.repeat(102_500))
    expect(await project.call(readFile, { path: 'large.txt' })).toMatchObject({
      code: 'FileTooLarge',
      message: 'large.txt: is larger than 102400 bytes, it has 102500',
    })
  })

  test('takes no arguments that it does not know', async () => {
    await using project = await makeFilesProject()
    project.put('a.txt', 'a')
    expect((await project.call(readFile, { path: 'a.txt', mode: 'x' })).code).toBe('ValidationError')
  })
})

describe('list_files', () => {
  test('sends on to read_file where it is given a file', async () => {
    await using project = await makeFilesProject()
    project.put('a.txt', 'a')
    const { code, suggestion } = await project.call(listFiles, { path: 'a.txt' })
    expect([code, suggestion]).toEqual([
      'NotADirectory',
      'Use read_file for a file, or list the folder that it is in.',
    ])
  })

  verifies('TOOL-043', 'lists one folder, or with recursive all below, relative to the service', async () => {
    await using project = await makeFilesProject()
    for (const path of ['a.txt', 'src/b.ts', 'src/deep/c.ts']) project.put(path, '')
    const list = async (input: object) => (await project.call(listFiles, input)).data?.files.toSorted()
    expect(await list({})).toEqual(['a.txt', 'src/'])
    expect(await list({ path: 'src' })).toEqual(['src/b.ts', 'src/deep/'])
    expect(await list({ path: 'src/' })).toEqual(['src/b.ts', 'src/deep/'])
    expect(await list({ recursive: true })).toEqual([
      'a.txt',
      'src/',
      'src/b.ts',
      'src/deep/',
      'src/deep/c.ts',
    ])
    expect(await list({ path: 'src', recursive: true })).toEqual(['src/b.ts', 'src/deep/', 'src/deep/c.ts'])
    for (const path of (await list({ recursive: true })) ?? [])
      if (!path.endsWith('/')) expect((await project.call(readFile, { path })).code).toBe('success')
  })

  test('shows no closed names and no locks, and does not follow links', async () => {
    await using project = await makeFilesProject()
    for (const path of ['.env', '.git/config', 'secrets/a', 'node_modules/b', '.lock.a.txt', 'a.txt'])
      project.put(path, '')
    project.putInProject('services/other/hidden.txt', '')
    symlinkSync(join(project.service_root, '../other'), join(project.service_root, 'way-out'))
    const { data } = await project.call(listFiles, { recursive: true })
    expect(data).toEqual({ files: ['a.txt', 'way-out'], capped: false })
  })

  verifies('TOOL-043', 'says how many names it cannot show', async () => {
    await using project = await makeFilesProject()
    for (const path of ['a.txt', 'line\nbreak', 'src/tab\there', '.env', 'secrets/line\nbreak'])
      project.put(path, '')
    const latin = Buffer.concat([Buffer.from(join(project.service_root, 'src/caf')), Buffer.from([0xe9])])
    writeFileSync(latin, '')
    expect((await project.call(listFiles, {})).data).toEqual({
      files: ['a.txt', 'src/'],
      capped: false,
      unnameable: 1,
    })
    expect((await project.call(listFiles, { recursive: true })).data).toMatchObject({ unnameable: 3 })
    expect((await project.call(listFiles, { path: 'src' })).data).toMatchObject({ files: [], unnameable: 2 })
  })

  test('says what is wrong with a file or a missing folder', async () => {
    await using project = await makeFilesProject()
    project.put('a.txt', '')
    expect((await project.call(listFiles, { path: 'a.txt' })).code).toBe('NotADirectory')
    expect((await project.call(listFiles, { path: 'missing' })).code).toBe('FileNotFound')
    expect((await project.call(listFiles, { path: '../other' })).code).toBe('SecurityError')
  })
})
