import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { billOfMaterials } from './shipped-packages.ts'
import { stampVersion } from './stamp-version.ts'

/**
 * Makes a release: `npm run release -- 0.2.0` stamps the version and the changelog, builds, and writes the package's file, its
 * bill of materials (CycloneDX) and checksums into `release/`. `--pack` only does the latter, of what is built. It publishes
 * nothing: what is to be committed, tagged and handed out is said at the end.
 */
const ROOT = join(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: 'release' }, pack: { type: 'boolean', default: false } },
})

function run(command: string, ...args: string[]): string {
  return execFileSync(command, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

function prepare(version: string): void {
  if (run('git', 'status', '--porcelain') !== '') throw new Error('There are changes that are not committed.')
  stampVersion(ROOT, version, new Date().toISOString().slice(0, 10))
  run(process.execPath, 'scripts/generate.ts')
  run(process.execPath, 'scripts/build.ts')
  run(process.execPath, 'scripts/third-party.ts')
}

/** Writes the files of the release; the same sources give the same bytes. */
function pack(out: string): string[] {
  mkdirSync(out, { recursive: true })
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  run('npm', 'pack', '--ignore-scripts', '--silent', '--pack-destination', out)
  const files = [`knowtation-${version}.tgz`, `knowtation-${version}.cdx.json`] as const
  writeFileSync(join(out, files[1]), `${JSON.stringify(billOfMaterials(ROOT), null, 2)}\n`)
  const sums = files.map((file) => `${sha256(join(out, file))}  ${file}\n`)
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''))
  return [...files, 'SHA256SUMS']
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

const [version] = positionals
if ((version === undefined) !== values.pack)
  throw new Error('Name the new version, such as 0.2.0, or say --pack.')
if (version !== undefined) prepare(version)
const out = resolve(ROOT, values.out)
for (const file of pack(out)) console.log(join(out, file))
if (version !== undefined)
  console.log(
    `Run npm test, look at the changes, then: git commit --all --message "Release ${version}" && git tag v${version}`,
  )
