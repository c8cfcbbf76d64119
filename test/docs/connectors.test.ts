import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blocksOf, ROOT, readPage, runPage } from './run-guide.fixture.ts'

const PAGE = 'docs/connectors.md'
const SAMPLE = join(ROOT, 'docs/examples/connectors/books')
const sampleFile = (name: string) => readFileSync(join(SAMPLE, name), 'utf8')

test('the guide shows the sample connector as it is, and it has no more than 80 lines', () => {
  const page = readPage(PAGE)
  const [manifest, module] = [sampleFile('manifest.yaml'), sampleFile('books.mjs')]
  expect(blocksOf(page, 'yaml')).toContain(manifest)
  expect(blocksOf(page, 'js')).toEqual([module])
  expect((manifest + module).trimEnd().split('\n').length).toBeLessThanOrEqual(80)
})

test('the guide to connectors runs as written', async () => {
  const output = await runPage(readPage(PAGE))
  for (const text of [
    /books +Reading list/,
    /succeeded: 5 of 5 records/,
    /978-0-0 .*The Left Hand of Darkness/,
    /Solaris/,
  ]) {
    expect(output).toMatch(text)
  }
  expect(output).not.toContain('card-4711')
}, 120_000)
