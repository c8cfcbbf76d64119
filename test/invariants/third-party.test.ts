import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { billOfMaterials, licenceOf } from '../../scripts/shipped-packages.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Licences under which parts of others may be handed on as we do. */
const FINE = [
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '(MIT OR EUPL-1.1+)',
]

// The build writes down what has gone into it.
beforeAll(() => {
  if (!existsSync(join(ROOT, 'dist/built-in.json')))
    execFileSync(process.execPath, [join(ROOT, 'scripts/build.ts')])
}, 120_000)

test('what others have made and comes with the package may be handed on, and is listed', () => {
  const { components } = billOfMaterials(ROOT)
  expect(components.length).toBeGreaterThan(100)
  const odd = components.filter((one) => !FINE.includes(licenceOf(one)))
  expect(odd.map((one) => `${one['bom-ref']}: ${licenceOf(one)}`)).toEqual([])
  const list = readFileSync(join(ROOT, 'THIRD-PARTY.md'), 'utf8')
  for (const { name, version } of components) expect(list).toContain(`| ${name} | ${version} |`)
  execFileSync(process.execPath, [join(ROOT, 'scripts/third-party.ts'), '--check'])
})

test('every package that is built in comes with its licence', () => {
  const texts = readFileSync(join(ROOT, 'dist/LICENSES.txt'), 'utf8')
  const built = JSON.parse(readFileSync(join(ROOT, 'dist/built-in.json'), 'utf8')) as string[]
  const parts = new Map(texts.split(`\n${'-'.repeat(80)}\n`).map((part) => [part.split('\n', 1)[0], part]))
  const without = built.filter(
    (id) => !/licen[cs]e|copyright|permission/i.test(parts.get(id)?.slice(id.length) ?? ''),
  )
  expect(without).toEqual([])
})
