import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { countMatches } from '../../src/domains/toolbox/search/count-matches.ts'
import { searchFile } from '../../src/domains/toolbox/search/search-file.ts'
import {
  FILE_MAX_BYTES,
  MATCH_LIMIT,
  SNIPPET_MAX_BYTES,
} from '../../src/domains/toolbox/search/search-limits.ts'
import { verifies } from '../requirements/verifies.ts'
import { faultsOfBoth, makeSearchService, type SearchService } from './search-service.fixture.ts'

/** The places of matches, as `file:line:column content`. */
async function places(
  service: SearchService,
  path: string,
  regex: string,
  recursive = false,
): Promise<string[]> {
  const { matches } = await service.call(searchFile, { path, regex, recursive })
  return matches.map(({ file, line, column, content }) => `${file}:${line}:${column} ${content}`)
}

describe('search_file', () => {
  verifies('TOOL-040', 'gives file, line and text of each match', async () => {
    const service = makeSearchService()
    service.put('src/a.ts', 'one\n  two two\r\n\nétwo 😀two\n')
    service.put('src/b.ts', 'nothing\n')
    expect(await places(service, 'src/a.ts', 'two')).toEqual([
      'src/a.ts:2:3   two two',
      'src/a.ts:2:7   two two',
      'src/a.ts:4:2 étwo 😀two',
      'src/a.ts:4:8 étwo 😀two',
    ])
    expect(await places(service, 'src', 'o(ne|thing)')).toEqual(['src/a.ts:1:1 one', 'src/b.ts:1:2 nothing'])
    const answer = await service.call(searchFile, { path: 'src', regex: 't[wh]', recursive: true })
    expect(answer).toMatchObject({ total: 5, capped: false, files_searched: 2, files_skipped: 0 })
  })

  verifies('TOOL-041', 'looks into folders below only when it is told to', async () => {
    const service = makeSearchService()
    for (const path of ['top.ts', 'src/a.ts', 'src/deep/er/b.ts']) service.put(path, 'needle\n')
    expect(await places(service, '.', 'needle')).toEqual(['top.ts:1:1 needle'])
    expect(await places(service, 'src', 'needle')).toEqual(['src/a.ts:1:1 needle'])
    expect(await places(service, 'src/deep', 'needle')).toEqual([])
    expect((await places(service, '.', 'needle', true)).toSorted()).toEqual([
      'src/a.ts:1:1 needle',
      'src/deep/er/b.ts:1:1 needle',
      'top.ts:1:1 needle',
    ])
    expect(await service.call(countMatches, { path: '.', regex: 'needle' })).toMatchObject({ count: 1 })
    const all = { path: '.', regex: 'needle', recursive: true }
    expect(await service.call(countMatches, all)).toMatchObject({ count: 3 })
  })

  verifies('TOOL-041', 'says that folders were left alone where nothing was found beside them', async () => {
    const service = makeSearchService()
    for (const path of ['top.ts', 'src/a.ts']) service.put(path, 'needle\n')
    for (const tool of [searchFile, countMatches]) {
      const noteOf = async (input: object) =>
        (await service.call(tool as typeof searchFile, { regex: 'pin', ...input } as never)).note
      expect(await noteOf({ path: '.' })).toMatch(/not searched: set recursive to true/)
      expect(await noteOf({ path: '.', recursive: true })).toBeUndefined()
      expect(await noteOf({ path: '.', regex: 'needle' })).toBeUndefined()
      expect(await noteOf({ path: 'src' })).toBeUndefined()
      expect(await noteOf({ path: 'top.ts' })).toBeUndefined()
    }
  })

  test('fails for a file that was named and cannot be searched, and not for a folder with one', async () => {
    const service = makeSearchService()
    service.put('one/latin.txt', Buffer.from('caf\xe9\n', 'latin1'))
    service.put('two/large.txt', 'a'.repeat(5_000_000))
    for (const tool of [searchFile, countMatches]) {
      const search = (path: string) => service.call(tool as typeof searchFile, { path, regex: 'caf' })
      await expect(search('one/latin.txt')).rejects.toMatchObject({ code: 'BinaryFile' })
      await expect(search('two/large.txt')).rejects.toMatchObject({ code: 'FileTooLarge' })
      for (const path of ['one', 'two'])
        expect(await search(path)).toMatchObject({ files_searched: 0, files_skipped: 1 })
    }
  })

  test('counts the lines of a text that has carriage returns only', async () => {
    const service = makeSearchService()
    service.put('old.txt', 'one\rtwo two\r\rtwo')
    expect(await places(service, 'old.txt', 'two')).toEqual([
      'old.txt:2:1 two two',
      'old.txt:2:5 two two',
      'old.txt:4:1 two',
    ])
    service.put('mixed.txt', 'one\rtwo\nthree\n')
    expect(await places(service, 'mixed.txt', 't\\w+')).toEqual([
      'mixed.txt:1:5 one\rtwo',
      'mixed.txt:2:1 three',
    ])
  })

  test('counts what it cannot name among what it skipped', async () => {
    const service = makeSearchService()
    for (const path of ['a.txt', 'line\nbreak.txt', 'tab\there/b.txt']) service.put(path, 'needle\n')
    for (const recursive of [false, true]) {
      const input = { path: '.', regex: 'needle', recursive }
      const numbers = { files_searched: 1, files_skipped: 2 }
      expect(await service.call(searchFile, input)).toMatchObject({ total: 1, ...numbers })
      expect(await service.call(countMatches, input)).toMatchObject({ count: 1, ...numbers })
    }
  })

  test('gives a match over several lines at the line it begins on', async () => {
    const service = makeSearchService()
    service.put('a.ts', 'x\nfoo(\r\n  bar)\n')
    expect(await places(service, 'a.ts', 'foo\\(\\s+bar')).toEqual(['a.ts:2:1 foo('])
    expect(await places(service, 'a.ts', '\\n')).toEqual(['a.ts:1:2 x', 'a.ts:2:6 foo(', 'a.ts:3:7   bar)'])
    expect(await places(service, 'a.ts', '\\z')).toEqual(['a.ts:4:1 '])
  })

  test('does not take a byte order mark for text', async () => {
    const service = makeSearchService()
    service.put('a.ts', '\ufeffimport a\nimport b')
    expect(await places(service, 'a.ts', '^import')).toEqual(['a.ts:1:1 import a', 'a.ts:2:1 import b'])
  })

  test('cuts long lines around the match and keeps the column right', async () => {
    const service = makeSearchService()
    const line = `${'é'.repeat(3_000)}needle${'😀'.repeat(3_000)}`
    service.put('a.min.js', `first\n${line}\n`)
    const { matches } = await service.call(searchFile, { path: 'a.min.js', regex: 'needle' })
    const { column, content } = matches[0] as (typeof matches)[number]
    expect(line.slice(column - 1, column + 5)).toBe('needle')
    expect(content).toMatch(/^…é+needle(?:😀)+…$/u)
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(SNIPPET_MAX_BYTES + 2 * Buffer.byteLength('…'))
  })

  test('shows the first matches when there are too many, and says so', async () => {
    const service = makeSearchService()
    for (let file = 10; file < 40; file += 1) service.put(`src/f${file}.ts`, 'needle here\n'.repeat(20))
    const answer = await service.call(searchFile, { path: '.', regex: 'needle', recursive: true })
    expect(answer.capped).toBe(true)
    expect(answer).not.toHaveProperty('total')
    expect(answer.matches).toHaveLength(MATCH_LIMIT)
    const files = new Set(answer.matches.map(({ file }) => file))
    expect([...files]).toEqual(Array.from({ length: 10 }, (_, index) => `src/f${index + 10}.ts`))
  })

  test('is whole where there are just as many matches as may be shown', async () => {
    const service = makeSearchService()
    service.put('a/a.ts', 'needle\n'.repeat(MATCH_LIMIT))
    service.put('a/b.ts', 'nothing\n')
    const answer = await service.call(searchFile, { path: 'a', regex: 'needle' })
    expect(answer).toMatchObject({ capped: false, total: MATCH_LIMIT, files_searched: 2 })
    expect(answer.matches).toHaveLength(MATCH_LIMIT)
  })

  test('shows as much as an answer may hold', async () => {
    const service = makeSearchService()
    service.put('a.ts', `${'x'.repeat(SNIPPET_MAX_BYTES - 6)}needle\n`.repeat(190))
    const answer = await service.call(searchFile, { path: 'a.ts', regex: 'needle' })
    expect(answer).toMatchObject({ capped: true, total: 190 })
    expect(answer.matches.length).toBeLessThan(190)
    expect(JSON.stringify(answer).length).toBeLessThan(100_000)
  })

  test('searches each file once, however many threads share the work', async () => {
    const service = makeSearchService()
    for (let file = 0; file < 1_500; file += 1)
      service.put(`src/d${file % 7}/f${file}.ts`, `needle ${file}\n`)
    const input = { path: '.', regex: 'needle \\d+', recursive: true }
    for (let round = 0; round < 5; round += 1) {
      const answer = await service.call(countMatches, input)
      expect(answer).toEqual({ count: 1_500, files_searched: 1_500, files_skipped: 0, capped: false })
    }
  })

  test('passes over what is no text or too large, and counts it', async () => {
    const service = makeSearchService()
    service.put('text.ts', 'needle')
    service.put('zero.bin', 'needle\0')
    service.put('latin1.txt', Buffer.from('needle é', 'latin1'))
    service.put('large.txt', `needle${' '.repeat(FILE_MAX_BYTES)}`)
    service.put('limit.txt', `${' '.repeat(FILE_MAX_BYTES - 6)}needle`)
    const answer = await service.call(searchFile, { path: '.', regex: 'needle' })
    expect(answer.matches.map(({ file }) => file)).toEqual(['limit.txt', 'text.ts'])
    expect(answer).toMatchObject({ total: 2, files_searched: 2, files_skipped: 3 })
  })

  test('hides secrets, also those of which it shows only a part', async () => {
    const service = makeSearchService()
    const token = `ghp_${'aB3dE6gH9k'.repeat(4).slice(0, 36)}`
    const pad = 'lorem ipsum '.repeat(60)
    service.put('a.txt', `${pad}mark ${pad.slice(0, SNIPPET_MAX_BYTES - 150)} ${token} ${pad}\n`)
    const body = Array.from({ length: 20 }, (_, row) => `line${row}AbCdEfGhIjKl`).join('\n')
    service.put('b.txt', `-----BEGIN RSA PRIVATE KEY-----\n${body}\n-----END RSA PRIVATE KEY-----\n`)
    const shown = await places(service, 'a.txt', 'mark')
    expect(shown).toHaveLength(1)
    expect(shown[0]).toContain('[REDACTED')
    expect(shown[0]).not.toContain('ghp_')
    expect(await places(service, 'b.txt', 'line1\\d')).toEqual([])
  })

  test('stops when nobody waits any more', async () => {
    const service = makeSearchService()
    service.put('a.ts', 'needle')
    const answer = await service.call(
      searchFile,
      { path: '.', regex: 'needle', recursive: true },
      AbortSignal.abort(),
    )
    expect(answer).toMatchObject({ matches: [], capped: true, files_searched: 0 })
  })
})

describe('where no search goes', () => {
  verifies('TOOL-044', 'closed zones and links out of the service are never in results', async () => {
    const service = makeSearchService({ scope: { block_patterns: ['private/'] } })
    const closed = ['.git/config', 'node_modules/p/i.js', 'secrets/k', '.env', 'sub/.env.local', 'private/x']
    for (const path of [...closed, 'sub/.git/x', 'home/hub-token', 'open.txt', 'sub/open.txt'])
      service.put(path, 'needle')
    const outside = join(service.project_root, 'other')
    mkdirSync(outside)
    writeFileSync(join(outside, 'secret.txt'), 'needle')
    symlinkSync(outside, join(service.service_root, 'folder-link'))
    symlinkSync(join(outside, 'secret.txt'), join(service.service_root, 'file-link'))
    linkSync(join(outside, 'secret.txt'), join(service.service_root, 'hard-link'))
    const everywhere = { path: '.', regex: 'needle', recursive: true }
    const { matches } = await service.call(searchFile, everywhere)
    expect(matches.map(({ file }) => file).toSorted()).toEqual(['open.txt', 'sub/open.txt'])
    expect(await service.call(countMatches, everywhere)).toMatchObject({ count: 2, files_searched: 2 })
    for (const path of [...closed, 'folder-link', 'file-link', 'hard-link', '../other', '/etc'])
      for (const { code } of await faultsOfBoth(service, { path, regex: 'needle' }))
        expect([path, code]).toEqual([path, 'SecurityError'])
  })

  test('a path that is not there', async () => {
    const service = makeSearchService()
    const missing = { path: 'none', regex: 'a', recursive: true }
    for (const { code } of await faultsOfBoth(service, missing)) expect(code).toBe('FileNotFound')
  })

  test('shared folders can be searched', async () => {
    const service = makeSearchService()
    mkdirSync(join(service.project_root, 'shared'))
    writeFileSync(join(service.project_root, 'shared/api.md'), 'needle')
    expect(await places(service, 'shared', 'needle', true)).toEqual(['shared/api.md:1:1 needle'])
  })
})
