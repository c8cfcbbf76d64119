import { posix } from 'node:path'
import type { LentFile } from './lent-files.ts'
import { manifestInvalid, manifestRefused } from './lock-refusal.ts'
import type { ManifestReader } from './read-manifests.ts'
import { readToml, TomlFault, type TomlTable, type TomlValue, writeToml } from './toml.ts'

const FILE = 'Cargo.toml'
const ALLOWED =
  'Only crates of the public registry and of the service itself may stand there: a version, or a path inside ' +
  'the service. Ask the owner for anything else.'

const NEEDS = ['dependencies', 'dev-dependencies', 'build-dependencies']
const TOP = ['package', 'workspace', 'features', 'target', ...NEEDS]
// They say what code is built and how, so that fetching goes without them.
const LEFT_OUT = ['lib', 'bin', 'example', 'test', 'bench', 'profile', 'lints', 'badges', 'hints']
const PACKAGE = ['name', 'version', 'edition', 'rust-version', 'resolver']
// Stands for all code: cargo wants to see some beside a manifest.
const CODE = 'lib.rs'
const WORKSPACE = ['members', 'exclude', 'resolver', 'package', 'dependencies']
const WORKSPACE_LEFT_OUT = ['default-members', 'lints', 'metadata']
const DETAILS = [
  'version',
  'path',
  'features',
  'default-features',
  'default_features',
  'optional',
  'package',
  'public',
  'workspace',
]

interface Checking {
  readonly reader: ManifestReader
  /** Folders whose manifest cargo will read, in the order in which they were met. */
  readonly folders: Set<string>
}

/**
 * Checks that the manifest of the service, and those of crates in it that it leads to, name the public registry and
 * the service alone: cargo asks every address in them before it looks at the lockfile. What cargo gets to see are
 * manifests written anew from what was checked, with the members of the workspace named one by one.
 */
export function checkCargoManifests(reader: ManifestReader): LentFile[] {
  const checking: Checking = { reader, folders: new Set(['']) }
  const lent: LentFile[] = []
  // More are added on the way.
  for (const folder of checking.folders) {
    const at = posix.join(folder, FILE)
    const manifest = checkManifest(checking, at, parse(reader, at))
    lent.push({ at, bytes: Buffer.from(writeToml(manifest)) })
    if (manifest.has('lib')) lent.push({ at: posix.join(folder, CODE), bytes: Buffer.alloc(0) })
  }
  return lent
}

function parse(reader: ManifestReader, file: string): TomlTable {
  try {
    return readToml(reader.read(file))
  } catch (error) {
    if (error instanceof TomlFault) throw manifestInvalid(file, `is not plain TOML: ${error.message}`)
    throw error
  }
}

function checkManifest(checking: Checking, file: string, manifest: TomlTable): TomlTable {
  const kept = pick(file, '', manifest, TOP, LEFT_OUT)
  const own = kept.get('package')
  if (own !== undefined) {
    kept.set('package', checkPackage(file, tableOf(file, 'package', own)))
    kept.set('lib', new Map([['path', CODE]]))
  }
  for (const section of NEEDS) checkNeeds(checking, file, section, kept.get(section))
  for (const [target, table] of entriesOf(file, 'target', kept.get('target'))) {
    for (const [section, needs] of entriesOf(file, `target.${target}`, table)) {
      if (!NEEDS.includes(section)) throw refused(file, `target.${target}.${section}`)
      checkNeeds(checking, file, `target.${target}.${section}`, needs)
    }
  }
  const workspace = kept.get('workspace')
  if (workspace === undefined) return kept
  return new Map([
    ...kept,
    ['workspace', checkWorkspace(checking, file, tableOf(file, 'workspace', workspace))],
  ])
}

function checkPackage(file: string, own: TomlTable): TomlTable {
  // The search for the workspace would begin elsewhere.
  if (own.has('workspace')) throw refused(file, 'package.workspace')
  return new Map([...own].filter(([key]) => PACKAGE.includes(key)))
}

function checkWorkspace(checking: Checking, file: string, workspace: TomlTable): TomlTable {
  const kept = pick(file, 'workspace.', workspace, WORKSPACE, WORKSPACE_LEFT_OUT)
  checkNeeds(checking, file, 'workspace.dependencies', kept.get('dependencies'))
  const folder = posix.dirname(file)
  const excluded = textsOf(file, 'workspace.exclude', kept.get('exclude')).map((path) =>
    posix.join(folder, path),
  )
  const members = textsOf(file, 'workspace.members', kept.get('members')).flatMap((pattern) =>
    expand(checking, file, pattern, excluded),
  )
  const found = [...new Set(members)]
  for (const member of found) checking.folders.add(member)
  // By name: a folder that turns up later is no member.
  if (kept.has('members'))
    kept.set(
      'members',
      found.map((member) => posix.relative(folder, member)),
    )
  return kept
}

// `crates/*` and `crate-*` are all that is understood of patterns.
function expand({ reader }: Checking, file: string, pattern: string, excluded: readonly string[]): string[] {
  const entry = `workspace.members ${pattern}`
  const [, before = '', after = ''] = /^([\w.-]*)\*([\w.-]*)$/.exec(posix.basename(pattern)) ?? []
  if (`${before}*${after}` !== posix.basename(pattern)) return [placeOf(file, entry, pattern)]
  const folder = placeOf(file, entry, posix.dirname(pattern))
  const names = reader
    .foldersIn(folder || '.')
    .filter((name) => name.startsWith(before) && name.endsWith(after))
  const places = names.map((name) => posix.join(folder, name))
  return places.filter(
    (place) =>
      !excluded.some((path) => `${place}/`.startsWith(`${posix.normalize(path)}/`)) &&
      reader.has(posix.join(place, FILE)),
  )
}

function checkNeeds(checking: Checking, file: string, section: string, needs: TomlValue | undefined): void {
  for (const [name, need] of entriesOf(file, section, needs)) {
    if (typeof need === 'string') continue
    const details = tableOf(file, `${section}.${name}`, need)
    for (const [key, value] of details) {
      const entry = `${section}.${name}.${key}`
      if (!DETAILS.includes(key)) throw refused(file, entry)
      if (key === 'path') checking.folders.add(placeOf(file, entry, textOf(file, entry, value)))
    }
  }
}

/** The folder of the service that a manifest names. */
function placeOf(file: string, entry: string, path: string): string {
  const place = posix.normalize(posix.join(posix.dirname(file), path)).replace(/\/$/, '')
  const is_inside = !posix.isAbsolute(path) && place !== '..' && !place.startsWith('../')
  if (!is_inside || /[\\*?[\]\0]/.test(path)) throw refused(file, entry, 'is no folder of the service')
  return place === '.' ? '' : place
}

function pick(
  file: string,
  prefix: string,
  table: TomlTable,
  kept: readonly string[],
  left_out: readonly string[],
): TomlTable {
  for (const key of table.keys()) {
    if (!kept.includes(key) && !left_out.includes(key)) throw refused(file, `${prefix}${key}`)
  }
  return new Map([...table].filter(([key]) => kept.includes(key)))
}

function entriesOf(file: string, name: string, value: TomlValue | undefined): [string, TomlValue][] {
  return value === undefined ? [] : [...tableOf(file, name, value)]
}

function tableOf(file: string, name: string, value: TomlValue): TomlTable {
  if (value instanceof Map) return value
  throw manifestInvalid(file, `has no table in ${name}`)
}

function textsOf(file: string, name: string, value: TomlValue | undefined): string[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw manifestInvalid(file, `has no list in ${name}`)
  return value.map((item) => textOf(file, name, item))
}

function textOf(file: string, name: string, value: TomlValue): string {
  if (typeof value === 'string') return value
  throw manifestInvalid(file, `has no text in ${name}`)
}

function refused(file: string, entry: string, problem = 'is not allowed in a manifest'): Error {
  return manifestRefused(file, entry, problem, ALLOWED)
}
