import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editFile } from '../../src/domains/toolbox/files/edit-file.ts'
import { countMatches } from '../../src/domains/toolbox/search/count-matches.ts'
import { fakePrivateKey } from '../../src/platform/redaction/fixtures/fake-secrets.ts'
import { createRedactor } from '../../src/platform/redaction/redactor.ts'
import { verifies } from '../requirements/verifies.ts'
import { type FilesProject, makeFilesProject } from './files-project.fixture.ts'
import { append, playAll, remove, replace } from './files-scenario.fixture.ts'
import { PAIRS, probe } from './secret-pairs.fixture.ts'

const TOKEN = `ghp_${'aB3dE6gH9k'.repeat(4).slice(0, 36)}`
const redactor = createRedactor()

/** All that a call tells, be it made or refused. */
async function toldBy(project: FilesProject, text: string, edits: readonly object[]) {
  project.put('a.ts', text)
  return project.call(editFile, { path: 'a.ts', edits })
}

describe('edit_file and what is hidden', () => {
  verifies('TOOL-006', 'a match that touches a secret counts as not found', async () => {
    await using project = await makeFilesProject()
    const text = `const a = '${TOKEN}'\nconst b = load(a)\n`
    const regex = { match_mode: 'regex' }
    const attempts = [
      remove('ghp_aB3'),
      remove(`'${TOKEN}'`),
      remove("= 'ghp_"),
      append('ghp_a', 'x'),
      remove('ghp_[A-Za-m]', regex),
      remove("'[^']+'", regex),
      remove('REDACTED', regex),
      remove('const a = $V', { match_mode: 'ast' }),
      remove(`'${TOKEN}'`, { match_mode: 'ast' }),
    ]
    for (const edit of attempts) {
      const { code, message, suggestion } = await toldBy(project, text, [edit])
      expect([edit.spec, code]).toEqual([edit.spec, 'PatchError'])
      expect(message).toContain('Expected 1, Found 0')
      expect(suggestion).not.toContain('ghp_')
      expect(project.text('a.ts')).toBe(text)
    }
    // Others are counted as if the secret were not there, as count_matches does.
    const letters = await toldBy(project, text, [replace('[a-z]', 'x', { match_mode: 'regex', count: 999 })])
    const { data } = await project.call(countMatches, { path: 'a.ts', regex: '[a-z]' })
    expect(letters.message).toContain(`Found ${data?.count} `)
    expect(data?.count).toBe('constaconstbloada'.length)
  })

  test('an edit beside a secret is made, and the secret keeps its bytes', () =>
    playAll([
      {
        before: `\ufeffa: ${TOKEN} # one\r\n${fakePrivateKey().replaceAll('\n', '\r\n')}\r\nlast\r\n`,
        edits: [replace(' # one', ' # two'), append('last', 'end')],
        after: `\ufeffa: ${TOKEN} # two\r\n${fakePrivateKey().replaceAll('\n', '\r\n')}\r\nlast\r\nend\r\n`,
      },
      {
        before: `const a = '${TOKEN}'\nconst b = load(a, 1)\n`,
        edits: [replace('load($A, $B)', 'fetch(a)', { match_mode: 'ast' })],
        after: `const a = '${TOKEN}'\nconst b = fetch(a)\n`,
      },
      {
        before: `x '${TOKEN}' x '${TOKEN}' x`,
        edits: [replace('x', '-', { match_mode: 'regex', count: 3 })],
        after: `- '${TOKEN}' - '${TOKEN}' -`,
      },
    ]))

  verifies(
    'TOOL-006',
    'what a call tells is the same whatever the secret is',
    async () => {
      await using project = await makeFilesProject()
      await fc.assert(
        fc.asyncProperty(PAIRS, fc.infiniteStream(fc.nat()), async ({ texts, secrets }, chance) => {
          fc.pre(redactor.redact(texts[0]) === redactor.redact(texts[1]) && secrets[0] !== secrets[1])
          const next = () => chance.next().value as number
          const from = next() % texts[0].length
          const spec = texts[0].slice(from, from + 1 + (next() % 30))
          const guess = secrets[0].slice(0, 1 + (next() % 10))
          const tries = [
            remove(spec, { count: 1 + (next() % 2) }),
            remove(`${spec.slice(0, 9)} ${spec.slice(9)}`),
            replace(guess, 'x'),
            remove(probe(texts[0], secrets[0], next), { match_mode: 'regex', count: 1 + (next() % 2) }),
          ]
          for (const one of tries) {
            const first = await toldBy(project, texts[0], [one])
            expect(await toldBy(project, texts[1], [one]), JSON.stringify(one)).toEqual(first)
          }
        }),
        { numRuns: 100 },
      )
    },
    120_000,
  )

  verifies(
    'TOOL-039',
    'a secret that is made by taking out is refused, also one that the file has',
    async () => {
      await using project = await makeFilesProject()
      const [head, tail] = [TOKEN.slice(0, 4), TOKEN.slice(4)]
      const harmless = `${head} ${tail.split('').join(' ')}`
      for (const before of ['', `token: ${TOKEN}\n`, `${TOKEN}\n${TOKEN}\n`]) {
        const text = `${before}${harmless}\n`
        const { code, message } = await toldBy(project, text, [
          remove(' ', { count: text.split(' ').length - 1 }),
        ])
        expect([before, code, message]).toEqual([
          before,
          'SecurityError',
          'The content holds what looks like a secret. Nothing was written.',
        ])
        expect(project.text('a.ts')).toBe(text)
      }
      const broken = `key: sk-\n${'abcdef'.repeat(5)}\n`
      expect((await toldBy(project, broken, [remove('\n', { count: 2 })])).code).toBe('SecurityError')
      expect(project.text('a.ts')).toBe(broken)
    },
  )
})

verifies('TOOL-065', 'lines that end with CR alone stay such lines', () =>
  playAll([
    { before: 'a\rb\rc\r', edits: [append('b', 'x')], after: 'a\rb\rx\rc\r' },
    {
      before: 'a\rb\rc\r',
      edits: [{ operation: 'prepend_before', spec: 'b', content: 'x\ny\r\nz' }],
      after: 'a\rx\ry\rz\rb\rc\r',
    },
    { before: 'a\rb', edits: [replace('b', 'x\n')], after: 'a\rx\r' },
    { before: 'a\rb\nc\n', edits: [append('b', 'x')], after: 'a\rb\nx\nc\n' },
    { before: 'a', edits: [append('a', 'x')], after: 'a\nx' },
  ]),
)

test('what is no path at all is told so in a sentence', async () => {
  await using project = await makeFilesProject()
  const sentences = {
    '': 'The path is empty.',
    'a\nb': 'The path holds control characters, which no path may.',
    '\0': 'The path holds control characters, which no path may.',
    '\ud800': 'The path is not valid Unicode text.',
  }
  for (const [path, sentence] of Object.entries(sentences)) {
    const { code, message } = await project.call(editFile, { path, edits: [remove('a')] })
    expect([code, message]).toEqual(['ValidationError', sentence])
  }
})
