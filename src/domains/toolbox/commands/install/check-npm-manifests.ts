import { posix } from 'node:path'
import { z } from 'zod'
import { isDependency, type NpmLock, parseNpmLock } from './check-npm-lock.ts'
import type { LentFile } from './lent-files.ts'
import { lockRefused, manifestInvalid, manifestRefused } from './lock-refusal.ts'
import { findDifference, NpmDescription, NpmSections, requiredNames, sectionEntries } from './npm-sections.ts'
import { isPackageName, isRegistrySpec } from './npm-spec.ts'
import type { ManifestReader } from './read-manifests.ts'

const FILE = 'package.json'
const OVERRIDES_DEPTH = 20
const ALLOWED =
  'Only versions, ranges and tags of the registry may stand there (also as npm:name@range), the same in ' +
  'package.json and in the lockfile. Ask the owner to change both with the package manager.'

const Bundle = z.union([z.boolean(), z.array(z.string())]).optional()

// All that npm gets to see of a manifest. What it could do with other fields need not be known then.
const Manifest = z.object({
  name: z.string().optional(),
  version: z.string().optional(),
  ...NpmDescription.shape,
  overrides: z.unknown().optional(),
  bundleDependencies: Bundle,
  bundledDependencies: Bundle,
  ...NpmSections.shape,
})
type Manifest = z.output<typeof Manifest>

/**
 * Checks that the manifests of the service, and of its workspaces that the lockfile links to, ask for nothing but
 * what the lockfile holds: npm asks at whatever address a manifest names before it finds that they differ.
 */
export function checkNpmManifests(reader: ManifestReader, lock_file: string, bytes: Buffer): LentFile[] {
  const lock = parseNpmLock(lock_file, bytes)
  const members = linkedPlaces(lock_file, lock)
  const root = readManifest(reader, FILE)
  if (members.length > 0 && root.workspaces === undefined)
    throw lockRefused(lock_file, members[0] ?? '', 'is linked to, but package.json names no workspaces')
  checkOverrides(root.overrides)
  const lent = [{ at: FILE, manifest: { ...root, workspaces: members.length > 0 ? members : undefined } }]
  for (const place of members) {
    const at = posix.join(place, FILE)
    // npm heeds these in the root alone.
    lent.push({ at, manifest: { ...readManifest(reader, at), workspaces: undefined, overrides: undefined } })
  }
  for (const { at, manifest } of lent) checkAgainstLock(lock, lock_file, at, manifest)
  checkComplete(lock, lock_file)
  return lent.map(({ at, manifest }) => ({ at, bytes: Buffer.from(JSON.stringify(manifest)) }))
}

// npm reads them as patterns too, in the manifest that it is lent.
function linkedPlaces(file: string, { packages }: NpmLock): string[] {
  const links = Object.entries(packages).filter(([, { link }]) => link)
  for (const [place, { resolved = '' }] of links) {
    if (!Object.hasOwn(packages, resolved) || isDependency(resolved) || !/^[\w@.+/-]+$/.test(resolved))
      throw lockRefused(file, place, 'links to no workspace of the service')
  }
  return [...new Set(links.map(([, { resolved = '' }]) => resolved))].toSorted()
}

function readManifest(reader: ManifestReader, file: string): Manifest {
  let value: unknown
  try {
    value = JSON.parse(reader.read(file).toString('utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) throw manifestInvalid(file, 'is no JSON')
    throw error
  }
  const parsed = Manifest.safeParse(value)
  if (!parsed.success)
    throw manifestInvalid(file, `is not of the form that npm reads: ${problemOf(parsed.error)}`)
  checkNeeds(file, parsed.data)
  return parsed.data
}

function problemOf({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.') || 'all of it'}: ${issue?.message}`
}

function checkNeeds(file: string, manifest: Manifest): void {
  for (const [section, name, spec] of sectionEntries(manifest)) {
    if (!isPackageName(name)) throw refused(file, name, `in ${section} is no name of a package`)
    if (!isRegistrySpec(spec))
      throw refused(file, name, `in ${section} is asked for elsewhere than at the registry`)
  }
  for (const list of [manifest.bundleDependencies, manifest.bundledDependencies]) {
    const odd = Array.isArray(list) ? list.find((name) => !isPackageName(name)) : undefined
    if (odd !== undefined) throw refused(file, odd, 'in bundleDependencies is no name of a package')
  }
}

function checkOverrides(overrides: unknown, depth = 0): void {
  if (overrides === undefined && depth === 0) return
  if (
    typeof overrides !== 'object' ||
    overrides === null ||
    Array.isArray(overrides) ||
    depth > OVERRIDES_DEPTH
  )
    throw manifestInvalid(FILE, 'has overrides that npm does not read')
  for (const [key, value] of Object.entries(overrides)) {
    const [, name = '', range = ''] = /^(@?[^@]*)(?:@(.*))?$/s.exec(key) ?? []
    if (key !== '.' && !(isPackageName(name) && isRegistrySpec(range)))
      throw refused(FILE, key, 'in overrides is no package of the registry')
    if (typeof value !== 'string') checkOverrides(value, depth + 1)
    // The rest of `$name` is a need of the manifest's own, which is checked there.
    else if (!isRegistrySpec(value) && !(value.startsWith('$') && isPackageName(value.slice(1))))
      throw refused(FILE, key, 'in overrides is asked for elsewhere than at the registry')
  }
}

function checkAgainstLock({ packages }: NpmLock, lock_file: string, at: string, manifest: Manifest): void {
  const place = at === FILE ? '' : posix.dirname(at)
  const entry = Object.hasOwn(packages, place) ? packages[place] : undefined
  const name = findDifference(manifest, entry ?? {})
  if (name !== undefined) throw refused(at, name, `is not the same there as in ${lock_file}`)
}

// Whatever is missing, npm would ask for, and for all that this needs in turn.
function checkComplete({ packages }: NpmLock, lock_file: string): void {
  for (const [place, entry] of Object.entries(packages)) {
    if (entry.link || entry.inBundle) continue
    const bundled = Array.isArray(entry.bundleDependencies) ? entry.bundleDependencies : []
    const missing = requiredNames(entry, !isDependency(place)).find(
      (name) => !bundled.includes(name) && !isHeld(packages, place, name),
    )
    if (missing !== undefined && !isUnused(place, packages))
      throw lockRefused(
        lock_file,
        place,
        `needs ${JSON.stringify(missing)}, which the lockfile does not hold`,
      )
  }
}

// A folder of the service that is linked to from nowhere, which npm does not look at.
function isUnused(place: string, packages: NpmLock['packages']): boolean {
  if (place === '' || isDependency(place)) return false
  return !Object.values(packages).some(({ link, resolved }) => link && resolved === place)
}

function isHeld(packages: NpmLock['packages'], place: string, name: string): boolean {
  const parts = place === '' ? [] : place.split('/')
  for (let count = parts.length; count >= 0; count--) {
    if (Object.hasOwn(packages, [...parts.slice(0, count), 'node_modules', name].join('/'))) return true
  }
  return false
}

function refused(file: string, entry: string, problem: string): Error {
  return manifestRefused(file, entry, problem, ALLOWED)
}
