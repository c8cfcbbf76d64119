import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')
const SOURCES = /\.(?:ts|mts|cts|js|mjs|cjs|md|py|go|rs|json)$/
const BYTES_MIN = 200
const BYTES_MAX = 65_536
const FOLDER_FILES = 100

/** Copies of as many real sources as wanted, spread evenly over what is installed; answers their bytes. */
export function copySources(folder: string, count: number): number {
  const from = join(ROOT, 'node_modules')
  const all = readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && SOURCES.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .filter((path) => isMiddling(statSync(path).size))
  if (all.length < count) throw new Error(`only ${all.length} sources are installed`)
  let bytes = 0
  for (let at = 0; at < count; at++) {
    const path = all[Math.floor((at * all.length) / count)] as string
    // The name is closed to every index.
    const to = join(folder, path.slice(from.length + 1).replaceAll('node_modules', 'modules'))
    mkdirSync(dirname(to), { recursive: true })
    copyFileSync(path, to)
    bytes += statSync(to).size
  }
  return bytes
}

/** So many small documents, in folders of a hundred. */
export function makeNotes(folder: string, count: number): void {
  for (let at = 0; at < count; at++) {
    const place = join(folder, `part${Math.floor(at / FOLDER_FILES)}`)
    if (at % FOLDER_FILES === 0) mkdirSync(place, { recursive: true })
    writeFileSync(
      join(place, `note${at}.md`),
      `# Note ${at}\n\nWhat belongs to order ${at * 7} of batch ${at % 97}.\n`,
    )
  }
}

/** Commits all of a folder. */
export function commitAll(folder: string): void {
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { stdio: 'ignore' })
  git('init', '--quiet')
  git('add', '--all')
  git('-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '--quiet', '--message', 'all')
}

function isMiddling(bytes: number): boolean {
  return bytes >= BYTES_MIN && bytes <= BYTES_MAX
}
