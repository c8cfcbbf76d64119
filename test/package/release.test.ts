import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Bill } from '../../scripts/shipped-packages.ts'
import { stampVersion } from '../../scripts/stamp-version.ts'
import { PACKAGE_VERSION } from '../../src/platform/basics/package-folder.ts'
import { ROOT } from '../docs/run-guide.fixture.ts'

const run = promisify(execFile)
const STAMPED = ['package.json', 'package-lock.json', 'CHANGELOG.md', 'README.md', 'deploy/README.md']

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowtation-release-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function pack(name: string): Promise<string> {
  const out = join(folder, name)
  await run(process.execPath, [join(ROOT, 'scripts/release.ts'), '--pack', '--out', out])
  return out
}

const sums = (place: string) => readFileSync(join(place, 'SHA256SUMS'), 'utf8')

test('the same sources give the same files, and the checksums are theirs', async () => {
  const [one, other] = [await pack('one'), await pack('other')]
  expect(sums(one)).toBe(sums(other))
  expect(sums(one).split('\n').filter(Boolean)).toHaveLength(2)
  await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: one })
}, 60_000)

test('the bill of materials names what the package brings along, with hashes, and nothing of this machine', async () => {
  const text = readFileSync(join(await pack('bill'), `knowtation-${PACKAGE_VERSION}.cdx.json`), 'utf8')
  const bill = JSON.parse(text) as Bill & { bomFormat: string; specVersion: string }
  expect(bill).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    metadata: { component: { name: 'knowtation', version: PACKAGE_VERSION } },
  })
  const refs = new Set(bill.components.map((one) => one['bom-ref']))
  expect(refs.size).toBe(bill.components.length)
  const names = new Set(bill.components.map(({ name }) => name))
  for (const name of ['better-sqlite3', 'fastify', 'zod', 'react']) expect(names).toContain(name)
  for (const name of ['vitest', 'typescript', 'playwright-core']) expect(names).not.toContain(name)
  for (const one of bill.components) expect(one).toMatchObject({ hashes: [{ alg: 'SHA-512' }] })
  for (const { ref, dependsOn } of bill.dependencies)
    for (const name of [ref, ...dependsOn])
      expect(refs.has(name) || name.startsWith('knowtation@')).toBe(true)
  expect(text).not.toContain(ROOT)
  expect(text).not.toMatch(/"(serialNumber|timestamp)"/)
}, 60_000)

test('a version is stamped wherever one stands, once, and only a newer one', () => {
  const copy = join(folder, 'copy')
  for (const file of STAMPED) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(ROOT, file), join(copy, file))
  }
  const read = (file: string) => readFileSync(join(copy, file), 'utf8')
  writeFileSync(
    join(copy, 'CHANGELOG.md'),
    '# Changelog\n\n## Unreleased\n\n- A change.\n\n## 0.0.1 — 2026-01-01\n',
  )
  for (const bad of ['0.0.1', PACKAGE_VERSION, 'next', '1.0'])
    expect(() => stampVersion(copy, bad, '2026-11-30')).toThrow(/newer|no version/)
  stampVersion(copy, '7.1.0', '2026-11-30')
  expect(JSON.parse(read('package.json')).version).toBe('7.1.0')
  const lock = JSON.parse(read('package-lock.json'))
  expect([lock.version, lock.packages[''].version]).toEqual(['7.1.0', '7.1.0'])
  expect(read('CHANGELOG.md')).toBe(
    '# Changelog\n\n## Unreleased\n\n## 7.1.0 — 2026-11-30\n\n- A change.\n\n## 0.0.1 — 2026-01-01\n',
  )
  expect(read('README.md')).toContain('./knowtation-7.1.0.tgz')
  expect(read('README.md')).toContain('knowtation 7.1.0')
  expect(read('deploy/README.md')).toContain('PACKAGE=knowtation-7.1.0.tgz')
  for (const file of STAMPED.slice(2))
    expect([file, read(file).includes(`knowtation-${PACKAGE_VERSION}`)]).toEqual([file, false])
  expect(() => stampVersion(copy, '7.2.0', '2026-12-01')).toThrow('Nothing is unreleased.')
})
