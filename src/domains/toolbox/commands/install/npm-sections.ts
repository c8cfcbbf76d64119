import { z } from 'zod'

const Specs = z.record(z.string(), z.string()).optional()

/** What a manifest and an entry of a lockfile say of a package, for npm to judge. */
export const NpmDescription = z.object({
  bin: z.unknown().optional(),
  engines: z.unknown().optional(),
  os: z.unknown().optional(),
  cpu: z.unknown().optional(),
  libc: z.unknown().optional(),
  workspaces: z.unknown().optional(),
})

/** The parts of a manifest, or of an entry of a lockfile, that say what it needs. */
export const NpmSections = z.object({
  dependencies: Specs,
  devDependencies: Specs,
  optionalDependencies: Specs,
  peerDependencies: Specs,
  acceptDependencies: Specs,
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean().optional() })).optional(),
})
export type NpmSections = z.output<typeof NpmSections>

const WITH_SPECS = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'acceptDependencies',
] as const
type SectionName = (typeof WITH_SPECS)[number]

/** Everything that is needed, as `[section, name, spec]`. */
export function sectionEntries(holder: NpmSections): [SectionName, string, string][] {
  return WITH_SPECS.flatMap((section) =>
    Object.entries(holder[section] ?? {}).map(([name, spec]): [SectionName, string, string] => [
      section,
      name,
      spec,
    ]),
  )
}

/** The first need that one of the two has and the other has not, or has otherwise. */
export function findDifference(a: NpmSections, b: NpmSections): string | undefined {
  const [of_a, of_b] = [new Set(comparable(a)), new Set(comparable(b))]
  const first = [...of_a].find((need) => !of_b.has(need)) ?? [...of_b].find((need) => !of_a.has(need))
  return first && (JSON.parse(first) as string[])[1]
}

// npm writes what is optional into that section alone, and a need for peers together with whether it is optional.
function comparable(holder: NpmSections): string[] {
  const optional = holder.optionalDependencies ?? {}
  const meta = holder.peerDependenciesMeta ?? {}
  return sectionEntries(holder)
    .filter(([section, name]) => section !== 'dependencies' || !Object.hasOwn(optional, name))
    .map(([section, name, spec]) => [
      section,
      name,
      spec,
      section === 'peerDependencies' && isOptional(meta, name),
    ])
    .map((need) => JSON.stringify(need))
}

function isOptional(meta: NonNullable<NpmSections['peerDependenciesMeta']>, name: string): boolean {
  return Object.hasOwn(meta, name) && meta[name]?.optional === true
}

/** The names that npm has to find installed for this one, or would ask the registry for. */
export function requiredNames(holder: NpmSections, with_dev: boolean): string[] {
  const { dependencies, devDependencies, peerDependencies, optionalDependencies = {} } = holder
  const meta = holder.peerDependenciesMeta ?? {}
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !isOptional(meta, name))
  const names = [
    ...Object.keys(dependencies ?? {}),
    ...peers,
    ...Object.keys((with_dev && devDependencies) || {}),
  ]
  return names.filter((name) => !Object.hasOwn(optionalDependencies, name))
}
