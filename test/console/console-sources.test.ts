import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'

const CONSOLE = join(import.meta.dirname, '../../console')

const sources = readdirSync(join(CONSOLE, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !entry.name.endsWith('schema.d.ts'))
  .map((entry) => join(entry.parentPath, entry.name))
const texts = [join(CONSOLE, 'index.html'), ...sources].map((file) => ({
  file,
  text: readFileSync(file, 'utf8'),
}))

/** Ways by which a text of somebody else could become markup or a script, or something could be kept in the browser. */
const FORBIDDEN = [
  [
    'markup from text',
    /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|srcdoc|document\.write/,
  ],
  ['code from text', /\beval\(|new Function\(|javascript:/],
  ['storage of the browser', /localStorage|sessionStorage|indexedDB|document\.cookie|caches\.open/],
  ['another origin', /https?:\/\/(?!\/)/],
  ['a policy that lets markup through', /trustedTypes|createPolicy/],
  ['a bearer', /fgrnt_bearer_|\bauthorization\b/i],
] as const

describe('the sources of the console', () => {
  test('are seen by this test', () => {
    expect(texts.length).toBeGreaterThan(20)
    expect(texts.some(({ text }) => text.includes('x-vault-id'))).toBe(true)
  })

  test.each(FORBIDDEN)('have no way to %s', (_, pattern) => {
    expect(texts.filter(({ text }) => pattern.test(text)).map(({ file }) => file)).toEqual([])
  })

  test('show an inline script or style in no page', () => {
    expect(texts[0]?.text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|style=/)
  })
})

const FIRST_LIMIT_BYTES = 150 * 1_024
const SCREEN_LIMIT_BYTES = 80 * 1_024

/** What a built file imports at once, with what that imports. */
function withImports(assets: string, name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found
  found.add(name)
  const text = readFileSync(join(assets, name), 'utf8')
  for (const [, imported = ''] of text.matchAll(/(?:from|import)\s*["']\.\/([\w-]+\.js)["']/g))
    withImports(assets, imported, found)
  return found
}

test('the built application is small, and its page asks for files of its own alone', () => {
  const built = join(CONSOLE, '../dist/console')
  const assets = join(built, 'assets')
  const page = readFileSync(join(built, 'index.html'), 'utf8')
  const [, main = ''] = /src="\/console\/assets\/([^"]+\.js)"/.exec(page) ?? []
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'))
  expect(scripts).toContain(main)
  const bytesOf = (names: Iterable<string>) =>
    [...names].reduce((sum, name) => sum + gzipSync(readFileSync(join(assets, name))).length, 0)
  const first = withImports(assets, main)
  for (const [, preloaded = ''] of page.matchAll(/modulepreload"[^>]*\/assets\/([\w-]+\.js)"/g))
    first.add(preloaded)
  expect(bytesOf(first)).toBeLessThanOrEqual(FIRST_LIMIT_BYTES)
  const further = scripts
    .filter((name) => !first.has(name))
    .map((name) => ({
      name,
      bytes: bytesOf([...withImports(assets, name)].filter((one) => !first.has(one))),
    }))
  expect(further.filter(({ bytes }) => bytes > SCREEN_LIMIT_BYTES)).toEqual([])
  expect(further.length).toBeGreaterThan(5)
  expect(page).not.toMatch(/(?:src|href)="(?!\/)/)
})
