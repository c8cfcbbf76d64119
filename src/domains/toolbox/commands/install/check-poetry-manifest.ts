import type { LentFile } from './lent-files.ts'
import { manifestInvalid, manifestRefused } from './lock-refusal.ts'
import type { ManifestReader } from './read-manifests.ts'
import { readToml, TomlFault, TomlLiteral, type TomlTable, type TomlValue } from './toml.ts'

const FILE = 'pyproject.toml'
const ALLOWED =
  'Only packages of PyPI by name and version may stand there: no address, no path, no source and no plugin. Ask ' +
  'the owner for anything else.'

// What stands for poetry itself beside what a package needs. `source` and `requires-plugins` are not there.
const POETRY = [
  'name',
  'version',
  'description',
  'license',
  'authors',
  'maintainers',
  'readme',
  'homepage',
  'repository',

  'documentation',
  'keywords',
  'classifiers',
  'packages',
  'include',
  'exclude',
  'scripts',
  'extras',
  'urls',
  'plugins',
  'build',
  'package-mode',
  'requires-poetry',
  'dependencies',
  'dev-dependencies',
  'group',
]
const DETAILS = ['version', 'extras', 'optional', 'python', 'markers', 'platform', 'allow-prereleases']
const VERSIONS = /^[\w\s.,*^~<>=!|+-]*$/
// A name, extras and versions, before any conditions. `name @ address` is what it leaves out.
const REQUIREMENT =
  /^\s*[A-Za-z0-9][\w.-]*\s*(?:\[[\w\s.,-]*\]\s*)?(?:\([\w\s.,*<>=!~+-]*\)\s*|[\w\s.,*<>=!~+-]*)$/
const REQUIREMENT_CHARACTERS = 300

/** Checks that a pyproject.toml sends poetry to PyPI and nowhere else. */
export function checkPoetryManifest(reader: ManifestReader): LentFile[] {
  const bytes = reader.read(FILE)
  const manifest = parse(bytes)
  checkList('build-system.requires', walk(manifest, 'build-system', 'requires'))
  checkList('project.dependencies', walk(manifest, 'project', 'dependencies'))
  for (const [extra, list] of entriesOf(walk(manifest, 'project', 'optional-dependencies')))
    checkList(`project.optional-dependencies.${extra}`, list)
  for (const [group, list] of entriesOf(walk(manifest, 'dependency-groups')))
    checkList(`dependency-groups.${group}`, list)
  checkPoetryTable(walk(manifest, 'tool', 'poetry'))
  return [{ at: FILE, bytes }]
}

function parse(bytes: Buffer): TomlTable {
  try {
    return readToml(bytes)
  } catch (error) {
    if (error instanceof TomlFault) throw manifestInvalid(FILE, `is not plain TOML: ${error.message}`)
    throw error
  }
}

function checkPoetryTable(table: TomlValue | undefined): void {
  for (const [key, value] of entriesOf(table)) {
    if (!POETRY.includes(key)) throw refused(`tool.poetry.${key}`)
    if (key.endsWith('dependencies')) checkNeeds(`tool.poetry.${key}`, value)
    if (key !== 'group') continue
    for (const [group, parts] of entriesOf(value))
      checkNeeds(`tool.poetry.group.${group}.dependencies`, walk(parts, 'dependencies'))
  }
}

function checkNeeds(section: string, needs: TomlValue | undefined): void {
  for (const [name, need] of entriesOf(needs)) {
    if (!/^[\w.-]+$/.test(name)) throw refused(`${section}.${name}`)
    // One package may be needed in several ways, for several systems.
    for (const way of Array.isArray(need) ? need : [need]) checkNeed(`${section}.${name}`, way)
  }
}

function checkNeed(entry: string, need: TomlValue): void {
  if (typeof need === 'string') return checkVersions(entry, need)
  for (const [key, value] of entriesOf(need)) {
    if (!DETAILS.includes(key)) throw refused(`${entry}.${key}`)
    if (key === 'version') checkVersions(entry, value)
  }
}

function checkVersions(entry: string, versions: TomlValue): void {
  if (typeof versions !== 'string' || !VERSIONS.test(versions)) throw refused(entry)
}

function checkList(name: string, list: TomlValue | undefined): void {
  if (list === undefined) return
  if (!Array.isArray(list)) throw manifestInvalid(FILE, `has no list in ${name}`)
  for (const item of list) {
    if (item instanceof Map && [...item.keys()].join() === 'include-group') continue
    if (typeof item !== 'string' || !isRequirement(item)) throw refused(`${name}: ${describe(item)}`)
  }
}

function isRequirement(text: string): boolean {
  const [need = ''] = text.split(';', 1)
  return need.length <= REQUIREMENT_CHARACTERS && REQUIREMENT.test(need)
}

// The name alone: the rest may hold a password.
function describe(item: TomlValue): string {
  return typeof item === 'string' ? (/^\s*([\w.-]{1,100})/.exec(item)?.[1] ?? 'an entry') : 'an entry'
}

function walk(value: TomlValue | undefined, ...path: string[]): TomlValue | undefined {
  return path.reduce<TomlValue | undefined>((at, key) => new Map(entriesOf(at)).get(key), value)
}

function entriesOf(value: TomlValue | undefined): [string, TomlValue][] {
  if (value === undefined) return []
  if (value instanceof Map) return [...value]
  const what = value instanceof TomlLiteral ? String(value.value) : 'a value'
  throw manifestInvalid(FILE, `has ${what} where a table belongs`)
}

function refused(entry: string): Error {
  return manifestRefused(FILE, entry, 'is not allowed in a manifest', ALLOWED)
}
