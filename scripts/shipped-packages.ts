import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package as npm lists it for a bill of materials (CycloneDX). */
export interface Component {
  'bom-ref': string
  name: string
  version: string
  purl: string
  licenses?: ({ license: { id?: string; name?: string } } | { expression: string })[]
  properties: { name: string; value: string }[]
}

export interface Bill {
  serialNumber?: string
  metadata: { timestamp?: string; component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

/** Where a package is met that comes with the hub. */
export type Way = 'installed' | 'built in'

/**
 * The bill of materials of the package: what an installation brings along, on any platform, and what the build has put in.
 * npm knows the first and the licences and hashes of all from the lockfile; the build has written down the second. Neither a
 * time nor a random number is in it: the same sources give the same bytes.
 */
export function billOfMaterials(root: string): Bill {
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']
  const all = JSON.parse(
    execFileSync('npm', words, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 2 ** 26,
    }),
  ) as Bill
  const ways = waysOf(all, root)
  const { serialNumber: _, ...bill } = all
  const { timestamp: __, ...metadata } = all.metadata
  const component = { ...metadata.component, name: 'knowtation' }
  const components = all.components
    .filter((one) => ways.has(one['bom-ref']))
    .map((one) => ({
      ...one,
      properties: [{ name: 'knowtation:way', value: ways.get(one['bom-ref']) as Way }],
    }))
    .toSorted((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1))
  const isShipped = (ref: string) => ways.has(ref) || ref === component['bom-ref']
  const dependencies = all.dependencies
    .filter(({ ref }) => isShipped(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isShipped).toSorted() }))
    .toSorted((a, b) => (a.ref < b.ref ? -1 : 1))
  return { ...bill, metadata: { ...metadata, component }, components, dependencies }
}

function waysOf(all: Bill, root: string): Map<string, Way> {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const built = JSON.parse(readFileSync(join(root, 'dist/built-in.json'), 'utf8')) as string[]
  const graph = new Map(all.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
  const ways = new Map<string, Way>(built.map((ref) => [ref, 'built in']))
  const waiting = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`)
  const installed = new Set<string>()
  for (const ref of waiting) {
    if (installed.has(ref)) continue
    installed.add(ref)
    ways.set(ref, 'installed')
    waiting.push(...(graph.get(ref) ?? []))
  }
  const known = new Set(all.components.map((one) => one['bom-ref']))
  const unknown = [...ways.keys()].filter((ref) => !known.has(ref))
  if (unknown.length > 0) throw new Error(`The lockfile does not have ${unknown.join(', ')}.`)
  return ways
}

/** The licence of a package, in the words of SPDX. */
export function licenceOf({ licenses = [] }: Component): string {
  const [first] = licenses
  if (first === undefined) return ''
  return 'expression' in first ? first.expression : (first.license.id ?? first.license.name ?? '')
}
