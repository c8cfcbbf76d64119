import { z } from 'zod'
import { LOCKFILE_PACKAGES_MAX } from '../command-limits.ts'
import { lockInvalid, lockRefused } from './lock-refusal.ts'
import { PUBLIC_NPM_REGISTRY } from './public-registries.ts'

const VERSIONS = [2, 3]

const Entry = z.looseObject({
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  inBundle: z.boolean().optional(),
})
type Entry = z.output<typeof Entry>

const Lockfile = z.looseObject({
  lockfileVersion: z.int(),
  packages: z.record(z.string(), Entry),
})

/**
 * Checks that everything a package-lock names comes from the registry with a checksum, and goes nowhere
 * but into the service. npm would follow git addresses, other hosts and folders outside.
 */
export function checkNpmLock(file: string, bytes: Buffer, registry: string): void {
  const { lockfileVersion, packages } = parse(file, bytes)
  if (!VERSIONS.includes(lockfileVersion))
    throw lockInvalid(file, `has version ${lockfileVersion}, not 2 or 3`)
  const entries = Object.entries(packages)
  if (entries.length > LOCKFILE_PACKAGES_MAX)
    throw lockInvalid(file, `names over ${LOCKFILE_PACKAGES_MAX} packages`)
  for (const [place, entry] of entries) {
    const problem = findProblem(place, entry, registry)
    if (problem !== undefined) throw lockRefused(file, place, problem)
  }
}

function parse(file: string, bytes: Buffer): z.output<typeof Lockfile> {
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
  // A package of the service's own, or one that its parent's archive holds.
  const is_fetched = `/${place}/`.includes('/node_modules/') && !entry.inBundle
  if (!is_fetched) return entry.resolved === undefined ? undefined : 'is fetched, but no dependency'
  if (entry.resolved !== undefined && !isOfRegistry(entry.resolved, registry)) {
    return `comes from ${describeSource(entry.resolved)}, not from the registry`
  }
  return hasChecksum(entry.integrity) ? undefined : 'has no strong checksum (integrity)'
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
