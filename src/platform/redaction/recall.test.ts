import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import WAYS from './fixtures/secret-places.json' with { type: 'json' }
import * as made from './fixtures/secret-values.fixture.ts'
import { createRedactor } from './redactor.ts'

/** Half of the values are the same in every run, half are new. */
const SEEDS = [1, Date.now() & 0x7fffffff]
const redactor = createRedactor()
const ROOT = join(import.meta.dirname, '../../..')

/** The share of values that are gone from all of the places, and the misses. */
function recall(values: fc.Arbitrary<string>, places: readonly string[], each: number) {
  const missed: string[] = []
  for (const [at, place] of places.entries())
    for (const seed of SEEDS)
      for (const value of fc.sample(values, { seed: seed + at, numRuns: each / 2 })) {
        const shown = redactor.redact(place.replaceAll('<>', () => value))
        if (shown.includes(value)) missed.push(`${JSON.stringify(place)} with ${value}`)
      }
  return { share: 1 - missed.length / (places.length * each), missed }
}

function measure(
  name: string,
  values: fc.Arbitrary<string>,
  places: readonly string[],
  least = 0.95,
  each = 12,
): void {
  test(`${name}, at least ${100 * least} %`, () => {
    const { share, missed } = recall(values, places, each)
    console.log(`${name}: ${(100 * share).toFixed(2)} % of ${places.length} ways of writing`)
    expect(share, missed.slice(0, 12).join('\n')).toBeGreaterThanOrEqual(least)
  })
}

const PASSWORDS = {
  'letters with one sign and no digit': made.signedLetters,
  'small letters with one sign': made.smallSigned,
  'words, a number and a sign': made.wordsWithNumber,
  'a word for filling in within a password': made.aroundFilling,
  'words and digits without a sign': made.wordsAndDigits,
  'what a generator makes': made.generated,
}

describe(`values that nobody has seen are hidden, seeds ${SEEDS}`, () => {
  for (const [name, places] of Object.entries(WAYS.headers))
    for (const scheme of ['Bearer', 'Token'])
      measure(
        `what a header carries behind ${scheme}, ${name}`,
        made.carried,
        places.map((place) => place.replaceAll('§', scheme)),
        1,
      )
  for (const [name, values] of Object.entries(PASSWORDS)) {
    measure(`${name}, given`, values, WAYS.given)
    measure(`${name}, in tables`, values, WAYS.tables)
  }
  measure('four words, given', made.passphrase, WAYS.given, 0.9)
  measure('four words, in tables', made.passphrase, WAYS.tables)
  const key = fc.oneof(made.uuid, made.hex(32))
  measure('keys beside a service', fc.oneof(key, made.hex(40)), WAYS.services)
  measure(
    'keys beside a service named after a word',
    fc.oneof(key, made.hex(40)),
    WAYS['services named after a word'],
  )
  measure('tokens behind an id', fc.oneof(made.chance(32, 48), made.hex(40)), WAYS.ids)
  measure(
    'what was hidden once',
    fc.oneof(made.chance(16, 40), made.hex(32), made.passphrase, ...Object.values(PASSWORDS)),
    WAYS.again,
    0.95,
    60,
  )
  const within = (depth: number): string =>
    depth === 0 ? JSON.stringify({ password: '<>' }) : JSON.stringify({ body: within(depth - 1) })
  measure('JSON within JSON', made.wordsWithNumber, [1, 2, 3, 4, 5].map(within))

  test('lines in base64 and in two bytes a character', () => {
    for (const value of fc.sample(made.signedLetters, { seed: SEEDS[1] as number, numRuns: 50 })) {
      const line = `DB_PASSWORD=${value}\n`
      const encoded = Buffer.from(line).toString('base64')
      expect(redactor.redact(`echo ${encoded} | base64 -d`)).not.toContain(encoded.slice(18, 26))
      expect(redactor.redact(Buffer.from(line, 'utf16le').toString()).replaceAll('\0', '')).not.toContain(
        value,
      )
    }
  })
})

describe('what stands for a credential stays', () => {
  const references =
    '$TOKEN ${TOKEN} <token> {{token}} {{ token }} $(cat token) %TOKEN% ${{ secrets.TOKEN }} {token} [token]'
  const places = Object.values(WAYS.headers)
    .flat()
    .filter((place) => !/[%<]|&lt;/.test(place))
  test.each(references.match(/\$\{\{.*?\}\}|\{\{.*?\}\}|\$\(.*?\)|\S+/g) ?? [])('%s', (reference) => {
    for (const place of places.map((way) => way.replaceAll('§', 'Bearer').replaceAll('<>', () => reference)))
      expect(redactor.redact(place)).toBe(place)
  })
})

/** At most so many of a kind of files: they are looked through in a second or two. */
const FILES = 400
const readText = (file: string) =>
  (file.endsWith('.gz') ? gunzipSync(readFileSync(file)) : readFileSync(file)).toString()
const read = (patterns: string[], cwd: string) =>
  existsSync(cwd)
    ? globSync(patterns, { cwd })
        .toSorted()
        .slice(0, FILES)
        .map((file) => readText(join(cwd, file)))
    : []
const linesHit = (texts: readonly string[]) => {
  const lines = texts.reduce((sum, text) => sum + text.split('\n').length, 0)
  const hit = texts.flatMap((text) => redactor.find(text).map(({ start, end }) => text.slice(start, end)))
  return { lines, hit, share: hit.length / Math.max(1, lines) }
}

describe('natural lines stay', () => {
  test.each([
    ['sources', read(['src/**/*.ts'], ROOT).filter((text) => !text.includes('vitest')), 0.0002],
    ['documents', read(['docs/**/*.md', '*.md'], ROOT), 0],
    ['lock files', read(['package-lock.json', 'bench/package-lock.json'], ROOT), 0],
    ['packages', read(['*/README.md', '*/*.js', '*/package.json'], join(ROOT, 'node_modules')), 0.0005],
    ['manuals', read(['man[1-8]/*'], '/usr/share/man'), 0.0001],
    ['headers', read(['*.h', 'linux/*.h'], '/usr/include'), 0.0001],
  ])('of %s', (name, texts, most) => {
    const { lines, hit, share } = linesHit(texts)
    console.log(`${name}: ${hit.length} hidden in ${lines} lines`)
    expect(share, hit.join('\n')).toBeLessThanOrEqual(most)
  })
})
