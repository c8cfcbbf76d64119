import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

interface Entry {
  version?: string
  integrity?: string
  resolved?: string
  link?: boolean
}

const LOCKFILES = ['package-lock.json', 'bench/package-lock.json', 'test/package/node-22/package-lock.json']

function entriesOf(lockfile: string): [string, Entry][] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, lockfile), 'utf8')) as {
    packages: Record<string, Entry>
  }
  // What is in this repository itself is not downloaded.
  return Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link)
}

const HASH = /^sha512-[A-Za-z0-9+/]{86}==$/

test.each(LOCKFILES)('%s holds the hash of every package', (lockfile) => {
  const entries = entriesOf(lockfile)
  expect(entries.length).toBeGreaterThan(0)
  const without = entries.filter(([, { integrity }]) => !HASH.test(integrity ?? '')).map(([path]) => path)
  expect(without).toEqual([])
})

test.each(LOCKFILES)('%s names no place to download from', (lockfile) => {
  const placed = entriesOf(lockfile).filter(([, { resolved }]) => resolved !== undefined)
  expect(placed.map(([path]) => path)).toEqual([])
  expect(readFileSync(join(ROOT, lockfile), 'utf8')).not.toMatch(/https?:\/\/[^"]*\.tgz/)
})

test('one version of a package has one hash, wherever it lies', () => {
  const hashes = new Map<string, Set<string>>()
  for (const lockfile of LOCKFILES)
    for (const [path, entry] of entriesOf(lockfile)) {
      const name = (entry as { name?: string }).name ?? path.replace(/^.*node_modules\//, '')
      const key = `${name}@${entry.version}`
      hashes.set(key, (hashes.get(key) ?? new Set()).add(entry.integrity ?? ''))
    }
  expect([...hashes].filter(([, all]) => all.size > 1).map(([key]) => key)).toEqual([])
})
