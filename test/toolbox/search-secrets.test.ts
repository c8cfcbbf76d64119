import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findUsage } from '../../src/domains/toolbox/knowledge/find-usage.ts'
import { getRelatedTests } from '../../src/domains/toolbox/knowledge/get-related-tests.ts'
import { countMatches } from '../../src/domains/toolbox/search/count-matches.ts'
import { searchFile } from '../../src/domains/toolbox/search/search-file.ts'
import { createRedactor } from '../../src/platform/redaction/redactor.ts'
import { verifies } from '../requirements/verifies.ts'
import { makeFilesProject } from './files-project.fixture.ts'
import { faultOf, makeSearchService, type SearchService } from './search-service.fixture.ts'
import { PAIRS, probe } from './secret-pairs.fixture.ts'

const TOKEN = `ghp_${'aB3dE6gH9k'.repeat(4).slice(0, 36)}`
const redactor = createRedactor()

/** Everything that both tools tell of a file. */
async function answersOf(service: SearchService, text: string, regex: string): Promise<string> {
  service.put('docs/s.md', text)
  const answers: unknown[] = []
  for (const [path, recursive] of [
    ['docs/s.md', false],
    ['.', true],
  ] as const) {
    const input = { path, regex, recursive }
    for (const answer of [service.call(countMatches, input), service.call(searchFile, input)])
      answers.push(await answer.catch(() => faultOf(answer)))
  }
  return JSON.stringify(answers)
}

describe('what is hidden from a reader is hidden from patterns', () => {
  verifies('TOOL-006', 'no pattern tells the characters of a secret', async () => {
    const service = makeSearchService()
    const text = `# Notes\ntoken: ${TOKEN}\nend\n`
    for (const regex of [
      'ghp_[A-Za-m]',
      'ghp_',
      TOKEN,
      'token: g',
      'B3dE',
      '9k$',
      '\\bghp',
      'REDACTED',
      '\\[R',
    ]) {
      service.put('docs/s.md', text)
      expect(await service.call(countMatches, { path: '.', regex, recursive: true })).toEqual({
        count: 0,
        files_searched: 1,
        files_skipped: 0,
        capped: false,
      })
      expect((await service.call(searchFile, { path: 'docs/s.md', regex })).matches).toEqual([])
    }
  })

  test('what stands beside it is found, at the places that read_file shows', async () => {
    const service = makeSearchService()
    const key = `-----BEGIN RSA PRIVATE KEY-----\r\n${'AbCdEfGhIjKl\r\n'.repeat(3)}-----END RSA PRIVATE KEY-----`
    const text = `a: ${TOKEN} # TODO\r\né ${TOKEN}, ${TOKEN} TODO\r\n${key}\r\nTODO after\r\n`
    service.put('a.txt', text)
    const lines = redactor.redact(text).split('\n')
    for (const regex of [
      'TODO',
      '.*TODO.*',
      '\\bTODO\\b',
      '^a: ',
      'a:\\s',
      ', ',
      '(?s)[^z]+',
      '\\r\\nTODO',
      '$',
    ]) {
      const { matches, total } = await service.call(searchFile, { path: 'a.txt', regex })
      expect([regex, total]).not.toEqual([regex, 0])
      const [form, start] = [new RegExp(regex.replace('(?s)', ''), 'my'), regex.startsWith('^')]
      for (const { line, column, content } of matches) {
        const shown = lines[line - 1] as string
        expect(content).toBe(shown.replace(/\r$/, ''))
        form.lastIndex = column - 1
        expect([regex, start || form.test(`${shown}\n${lines[line] ?? ''}`)]).toEqual([regex, true])
      }
      expect((await service.call(countMatches, { path: 'a.txt', regex })).count).toBe(total)
    }
    const todo = await service.call(searchFile, { path: 'a.txt', regex: '.*TODO.*' })
    expect(todo.matches.map(({ line }) => line)).toEqual([1, 2, 8])
  })

  test('a mark is not cut in two where a long line is', async () => {
    const service = makeSearchService()
    const pad = 'lorem ipsum '.repeat(40)
    for (let gap = 90; gap < 130; gap += 1) {
      service.put('a.txt', `${pad}${TOKEN}${' '.repeat(gap)}needle ${pad}\n`)
      const { matches } = await service.call(searchFile, { path: 'a.txt', regex: 'needle' })
      expect(matches[0]?.content.replaceAll('[REDACTED:github_token]', '')).not.toMatch(/REDACTED|[[\]:_]/)
    }
  })

  verifies(
    'TOOL-006',
    'every answer is the same whatever the secret is',
    async () => {
      const [one, other] = [makeSearchService(), makeSearchService()]
      let found = 0
      await fc.assert(
        fc.asyncProperty(PAIRS, fc.infiniteStream(fc.nat()), async ({ texts, secrets }, chance) => {
          fc.pre(redactor.redact(texts[0]) === redactor.redact(texts[1]) && secrets[0] !== secrets[1])
          const regex = probe(texts[0], secrets[0], () => chance.next().value as number)
          const answers = await Promise.all([
            answersOf(one, texts[0], regex),
            answersOf(other, texts[1], regex),
          ])
          expect(answers[1], regex).toBe(answers[0])
          if (/"count":[1-9]/.test(answers[0])) found += 1
        }),
        { numRuns: 150 },
      )
      expect(found).toBeGreaterThan(20)
    },
    120_000,
  )

  test('a pattern that is slow only where a secret begins so fails nowhere', {
    timeout: 60_000,
  }, async () => {
    const service = makeSearchService()
    service.put('a.txt', `token: ${TOKEN}\n${'ä'.repeat(25_000)}`)
    for (const regex of ['ghp_a(?s:.){36}(?:ä{0,200}){0,200}!', 'ghp_b(?s:.){36}(?:ä{0,200}){0,200}!'])
      expect(await service.call(countMatches, { path: 'a.txt', regex })).toMatchObject({ count: 0 })
  })

  test('find_usage finds no name in it', { timeout: 60_000 }, async () => {
    await using project = await makeFilesProject()
    project.put('docs/s.md', `token: ${TOKEN}\nplain\n`)
    project.put('src/a.ts', `const a = plain('${TOKEN}')\nlet b = ${TOKEN}\n`)
    const { data: visible } = await project.call(findUsage, { symbol: 'plain' })
    expect(visible).toMatchObject({ total: 1, files_unsupported: ['docs/s.md'] })
    const answers = await Promise.all(
      ['ghp_aB3', 'ghp_aB4', TOKEN].map((symbol) => project.call(findUsage, { symbol })),
    )
    for (const { data } of answers)
      expect(data).toEqual({
        usages: [],
        total: 0,
        capped: false,
        files_searched: 2,
        files_skipped: 0,
        files_broken: [],
        files_unsupported: [],
      })
  })

  test('get_related_tests takes it for no name', { timeout: 60_000 }, async () => {
    await using project = await makeFilesProject()
    const named = `package p;\nclass OtherTest { String key = "${TOKEN}"; Plain plain; }\n`
    project.put('src/OtherTest.java', named)
    const found: unknown[] = []
    for (const name of ['Plain', 'ghp_aB3', 'ghp_aB4']) {
      project.put(`src/${name}.java`, `package p;\nclass ${name} {}\n`)
      const { data } = await project.call(getRelatedTests, { file_path: `src/${name}.java` })
      found.push(data?.tests.map(({ path }) => path))
    }
    expect(found).toEqual([['src/OtherTest.java'], [], []])
  })
})
