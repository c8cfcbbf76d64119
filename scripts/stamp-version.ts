import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const VERSION = /^\d+\.\d+\.\d+$/
const UNRELEASED = '## Unreleased\n'
/** Pages that name the version or the file of a release. */
const PAGES = ['README.md', 'docs/*.md', 'deploy/README.md', 'deploy/docker/Dockerfile']

/** Writes a new version wherever one stands, and gives what was unreleased its heading. Nothing is written where one fails. */
export function stampVersion(root: string, version: string, day: string): void {
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const manifest = JSON.parse(read('package.json')) as { version: string }
  checkNewer(version, manifest.version)
  const lock = JSON.parse(read('package-lock.json')) as {
    version: string
    packages: Record<string, { version: string }>
  }
  const own = lock.packages['']
  if (own === undefined) throw new Error('package-lock.json does not name the package itself.')
  lock.version = version
  own.version = version
  const former = manifest.version.replaceAll('.', '\\.')
  const named = new RegExp(`(knowtation[- ])${former}(?![\\d.]*\\d)`, 'g')
  const pages = globSync(PAGES, { cwd: root }).map((page): [string, string] => [
    page,
    read(page).replace(named, `$1${version}`),
  ])
  const files: [string, string][] = [
    ['CHANGELOG.md', released(read('CHANGELOG.md'), version, day)],
    ['package.json', `${JSON.stringify({ ...manifest, version }, null, 2)}\n`],
    ['package-lock.json', `${JSON.stringify(lock, null, 2)}\n`],
    ...pages,
  ]
  for (const [file, text] of files) writeFileSync(join(root, file), text)
}

function checkNewer(version: string, former: string): void {
  if (!VERSION.test(version)) throw new Error(`${version} is no version: three numbers, such as 1.2.3.`)
  const [now, before] = [version, former].map((text) => text.split('.').map(Number)) as [number[], number[]]
  const at = now.findIndex((number, place) => number !== before[place])
  if (at < 0 || (now[at] as number) < (before[at] as number))
    throw new Error(`${version} is not newer than ${former}.`)
}

function released(changelog: string, version: string, day: string): string {
  const [before, after] = changelog.split(UNRELEASED)
  if (after === undefined) throw new Error('CHANGELOG.md has no part "Unreleased".')
  if ((after.split('\n## ')[0] as string).trim() === '') throw new Error('Nothing is unreleased.')
  return `${before}${UNRELEASED}\n## ${version} — ${day}\n${after}`
}
