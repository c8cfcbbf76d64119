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

test('the built application is small, and its page asks for files of its own alone', () => {
  const built = join(CONSOLE, '../dist/console')
  const page = readFileSync(join(built, 'index.html'), 'utf8')
  const [, first = ''] = /src="\/console\/assets\/([^"]+\.js)"/.exec(page) ?? []
  const scripts = readdirSync(join(built, 'assets')).filter((name) => name.endsWith('.js'))
  expect(scripts).toContain(first)
  const sizes = scripts.map((name) => ({
    name,
    bytes: gzipSync(readFileSync(join(built, 'assets', name))).length,
  }))
  const tooLarge = sizes.filter(
    ({ name, bytes }) => bytes > (name === first ? FIRST_LIMIT_BYTES : SCREEN_LIMIT_BYTES),
  )
  expect(tooLarge).toEqual([])
  expect(page).not.toMatch(/(?:src|href)="(?!\/)/)
})
