import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const MOST_FILES = 25
/** Names that say nothing of what lives there. */
const VAGUE = ['utils', 'helpers', 'common', 'shared', 'misc', 'lib']

/** Every folder of the sources, with the number of its own files, tests and fixtures aside. */
const folders = [
  'src',
  ...readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name))),
]

/** Domains, surfaces, parts of the platform, and the libraries that others import. */
const rooms = [
  'src/operations',
  'src/boundary',
  'src/client',
  ...folders.filter((folder) => /^src\/(domains|surfaces|platform)\/[^/]+$/.test(folder)),
]

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.test|\.fixture)\.ts$/.test(entry.name))
    .map(({ name }) => name)
}

describe('the rooms of the sources', () => {
  test('hold few enough files to be seen at a glance', () => {
    expect(folders.length).toBeGreaterThan(50)
    const full = folders.map((folder) => `${folder}: ${filesIn(folder).length}`)
    expect(full.filter((line) => Number(line.split(': ')[1]) > MOST_FILES)).toEqual([])
  })

  test('say by their names what lives there', () => {
    expect(folders.flatMap((folder) => folder.split('/')).filter((name) => VAGUE.includes(name))).toEqual([])
  })

  test.each(rooms)('%s has a sign on the door, of three to fifteen lines', (room) => {
    const sign = join(ROOT, room, 'README.md')
    expect(existsSync(sign)).toBe(true)
    const lines = readFileSync(sign, 'utf8').trim().split('\n')
    expect(lines[0]).toMatch(/^# \S/)
    expect(lines.length).toBeGreaterThanOrEqual(3)
    expect(lines.length).toBeLessThanOrEqual(15)
  })

  test('are named in their signs as they are named on disk', () => {
    const signs = folders.filter((folder) => existsSync(join(ROOT, folder, 'README.md')))
    const dead = signs.flatMap((folder) =>
      [...readFileSync(join(ROOT, folder, 'README.md'), 'utf8').matchAll(/`([a-z0-9/-]+\.ts)`/g)]
        .map(([, file]) => file as string)
        .filter((file) => ![folder, 'src', ''].some((base) => existsSync(join(ROOT, base, file))))
        .map((file) => `${folder}/README.md names ${file}`),
    )
    const map = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
    const named = [...map.matchAll(/`((?:\w|-|\/)+\/[\w-]+\.ts)`/g)].map(([, file]) => file as string)
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((file) => !['src', ''].some((base) => existsSync(join(ROOT, base, file))))).toEqual(
      [],
    )
    expect(dead).toEqual([])
  })
})
