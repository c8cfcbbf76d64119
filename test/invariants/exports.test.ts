import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const VALUE = /^export (?:async )?(?:const|let|function\*?|class) ([\w$]+)/gm

const texts = new Map(['src', 'test', 'bench', 'scripts'].flatMap(sourcesUnder))

function sourcesUnder(folder: string): [string, string][] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
    .map((name) => [`${folder}/${name}`, readFileSync(join(ROOT, folder, name), 'utf8')])
}

/** How many files each word stands in. */
function countFiles(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts.values())
    for (const word of new Set(text.match(/[\w$]+/g))) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

test('no source exports a value that nothing else names', () => {
  const files = countFiles()
  const exported = [...texts]
    .filter(([file]) => file.startsWith('src/'))
    .flatMap(([file, text]) => [...text.matchAll(VALUE)].map(([, name = '']) => ({ file, name })))
  expect(exported.length).toBeGreaterThan(1_000)
  const unused = exported.filter(({ name }) => files.get(name) === 1)
  expect(unused.map(({ file, name }) => `${file}: ${name}`)).toEqual([])
})
