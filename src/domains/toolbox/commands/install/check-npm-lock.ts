import { z } from 'zod'
import { LOCKFILE_PACKAGES_MAX } from '../command-limits.ts'
import { lockInvalid, lockRefused } from './lock-refusal.ts'
import { NpmDescription, NpmSections, sectionEntries } from './npm-sections.ts'
import { isPackageName, isPlainVersion, isRegistrySpec } from './npm-spec.ts'
import { PUBLIC_NPM_REGISTRY } from './public-registries.ts'

const VERSIONS = [2, 3]

// Only these fields reach npm: it also takes addresses from some that no lockfile has, such as `_resolved`.
const Entry = z.object({
  name: z.string().optional(),
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  inBundle: z.boolean().optional(),
  hasShrinkwrap: z.boolean().optional(),
  dev: z.boolean().optional(),
  optional: z.boolean().optional(),
  devOptional: z.boolean().optional(),
  peer: z.boolean().optional(),
  extraneous: z.boolean().optional(),
  deprecated: z.unknown().optional(),
  hasInstallScript: z.unknown().optional(),
  license: z.unknown().optional(),
  ...NpmDescription.shape,
  bundleDependencies: z.unknown().optional(),
  ...NpmSections.shape,
})
type Entry = z.output<typeof Entry>

const Lockfile = z.object({
  name: z.string().optional(),
  version: z.string().optional(),
  lockfileVersion: z.int(),
  requires: z.unknown().optional(),
  packages: z.record(z.string(), Entry),
})

/** What a package-lock says, without the fields that no check looks at. */
export type NpmLock = z.output<typeof Lockfile>

/**
 * Checks that everything a package-lock names comes from the registry with a checksum, and goes nowhere
 * but into the service. npm would follow git addresses, other hosts and folders outside. What is answered is
 * all that npm may see of it.
 */
export function checkNpmLock(file: string, bytes: Buffer, registry: string): Buffer {
  const lock = parseNpmLock(file, bytes)
  const { lockfileVersion, packages } = lock
  if (!VERSIONS.includes(lockfileVersion))
    throw lockInvalid(file, `has version ${lockfileVersion}, not 2 or 3`)
  const entries = Object.entries(packages)
  if (entries.length > LOCKFILE_PACKAGES_MAX)
    throw lockInvalid(file, `names over ${LOCKFILE_PACKAGES_MAX} packages`)
  for (const [place, entry] of entries) {
    const problem = findProblem(place, entry, registry) ?? findOddNeed(entry)
    if (problem !== undefined) throw lockRefused(file, place, problem)
  }
  return Buffer.from(JSON.stringify(lock))
}

/** Reads a package-lock of the form that npm 7 and later write. */
export function parseNpmLock(file: string, bytes: Buffer): NpmLock {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw lockInvalid(file, 'is no JSON')
  }
  const parsed = Lockfile.safeParse(value)
  if (parsed.success) return parsed.data
  throw lockInvalid(file, 'is not of the form that npm 7 and later write')
}

function findProblem(place: string, entry: Entry, registry: string): string | undefined {
  if (place === '') return undefined
  if (!isInside(place)) return 'lies outside the service'
  if (entry.link) return isInside(entry.resolved ?? '') ? undefined : 'links to a place outside the service'
  if (!isNamedPlainly(place, entry)) return 'has no plain name and version'
  // npm would take what the archive itself says of addresses then, which nobody has checked.
  if (entry.hasShrinkwrap) return 'brings a lockfile of its own'
  // A package of the service's own, or one that its parent's archive holds.
  const is_fetched = isDependency(place) && !entry.inBundle
  if (!is_fetched) return entry.resolved === undefined ? undefined : 'is fetched, but no dependency'
  if (entry.resolved !== undefined && !isOfRegistry(entry.resolved, registry)) {
    return `comes from ${describeSource(entry.resolved)}, not from the registry`
  }
  return hasChecksum(entry.integrity) ? undefined : 'has no strong checksum (integrity)'
}

/** Whether a place of a lockfile is that of an installed package. */
export function isDependency(place: string): boolean {
  return `/${place}/`.includes('/node_modules/')
}

// npm puts `name@version` together and reads the result anew: a name or version like an address becomes one.
function isNamedPlainly(place: string, { name, version }: Entry): boolean {
  if (!isDependency(place)) return true
  const folder = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
  return isPackageName(folder) && isPackageName(name ?? folder) && isPlainVersion(version ?? '')
}

// npm looks for whatever a package needs and the lockfile does not hold, at the address that is said there.
function findOddNeed(entry: Entry): string | undefined {
  const odd = sectionEntries(entry).find(([, name, spec]) => !isPackageName(name) || !isRegistrySpec(spec))
  return odd && `needs ${JSON.stringify(odd[1])} from elsewhere than the registry`
}

function isInside(place: string): boolean {
  const names = place.split('/')
  return !place.includes('\\') && names.every((name) => name !== '' && name !== '.' && name !== '..')
}

function isOfRegistry(address: string, registry: string): boolean {
  return [registry, PUBLIC_NPM_REGISTRY].some(
    (prefix) => address.startsWith(prefix) && !address.includes('..'),
  )
}

function hasChecksum(integrity: string | undefined): boolean {
  const hashes = integrity?.trim().split(/\s+/) ?? []
  return (
    hashes.length > 0 && hashes.every((hash) => /^sha(?:256|384|512)-[A-Za-z0-9+/]{43,88}={0,2}$/.test(hash))
  )
}

// Without the path: an address may hold a password.
function describeSource(address: string): string {
  return (
    /^[a-z][a-z0-9+.-]*:(?:\/\/(?:[^@/]*@)?[^/?#]*)?/i.exec(address)?.[0].replace(/\/\/.*@/, '//') ?? 'a file'
  )
}
