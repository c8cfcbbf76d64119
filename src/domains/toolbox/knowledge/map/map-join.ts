import { posix } from 'node:path'
import { readCompose } from './map-manifest.ts'
import { humanName } from './map-names.ts'
import { type DescribedService, requiredDocs } from './map-service.ts'
import type { MapEntity, MapPlace, MapService, SystemMap } from './map-shape.ts'
import type { MapEyes } from './map-survey.ts'

interface Surveyed extends Omit<SystemMap, 'services' | 'Entities' | 'capped'> {
  readonly eyes: MapEyes
  readonly services: readonly DescribedService[]
}

const ROOT_NAME = 'Project'

/** Puts what was found together: who needs whom, and everything by its name. */
export function joinServices(survey: Surveyed): SystemMap {
  const { infrastructure, testing } = survey
  const found = survey.services.filter((service) => !isFrame(service))
  const frames = survey.services.filter(isFrame)
  const composed = composedNeeds(survey, found)
  const services = found
    .map((service) => toService(service, found, composed.get(service.path) ?? []))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
  const listed = new Set(services.flatMap(({ tests }) => tests))
  const places = testing.filter(({ path }) => !listed.has(path))
  const docs = [...survey.docs, ...frames.flatMap(framedDocs)]
  const Entities = entitiesOf(survey, services, found)
  return { services, infrastructure, docs, testing: places, Entities, capped: survey.eyes.is_capped }
}

/**
 * A folder that holds services together, such as the root, is a frame for them, unless it has a beginning of
 * its own. One that does not say so itself is none either where it has code of its own: a library with tools.
 */
function isFrame({ frame, entry_points, has_inner, code_folders }: DescribedService): boolean {
  if (frame === 'none' || entry_points.length > 0 || !has_inner) return false
  return frame === 'declared' || code_folders.length === 0
}

/** What introduces all of it together stands right in the frame. */
function framedDocs({ path, docs, readable }: DescribedService): MapPlace[] {
  return docs
    .filter((doc) => posix.dirname(doc) === path)
    .map((doc) => ({ path: doc, kind: 'docs', readable }))
}

function toService(
  service: DescribedService,
  all: readonly DescribedService[],
  composed: readonly string[],
): MapService {
  const { frame: _, facts, code_folders: __, docs: ___, has_inner: ____, name, ...shown } = service
  const needed = facts.flatMap(({ needs, needed_paths }) => [
    ...needed_paths.map((path) => posix.join(service.path, path)),
    ...needs.flatMap((need) => findCalled(need, service, all)?.path ?? []),
  ])
  const paths = new Set([...needed, ...composed])
  const others = all.filter(({ path }) => path !== service.path && paths.has(path))
  return {
    name: service.path === '.' ? ROOT_NAME : name,
    ...shown,
    depends_on: others.map(({ path }) => path).toSorted(),
  }
}

/**
 * By the name in its manifest; of a service that may not be read only the folder's name is known. Then what
 * stands before it must be what the names of this service have: `@other/pay` is not the folder `pay` of `@shop`.
 */
function findCalled(
  need: string,
  { facts: own }: DescribedService,
  all: readonly DescribedService[],
): DescribedService | undefined {
  const before = beforeName(need)
  const own_names = own.flatMap(({ names }) => names)
  const is_ours = own_names.length === 0 || own_names.some((name) => beforeName(name) === before)
  const isFolder = (path: string) => posix.basename(path) === need.slice(before.length)
  return (
    all.find(({ facts }) => facts.some(({ names }) => names.includes(need))) ??
    all.find(({ readable, path }) => is_ours && !readable && isFolder(path))
  )
}

/** The scope of a package, or the address before the last part of a module's name. */
function beforeName(name: string): string {
  return name.slice(0, Math.max(name.lastIndexOf('/'), name.lastIndexOf(':')) + 1)
}

function composedNeeds(
  { eyes, infrastructure }: Surveyed,
  services: readonly DescribedService[],
): Map<string, string[]> {
  const needs = new Map<string, string[]>()
  for (const { path } of infrastructure.filter(
    ({ kind, readable }) => kind === 'docker-compose' && readable,
  )) {
    const composed = readCompose(eyes.readText(path) ?? '')
    const pathOf = (name: string) => {
      const folder = composed.find((one) => one.name === name)?.folder
      const place = folder === undefined ? undefined : posix.join(posix.dirname(path), folder)
      return services.find((service) => service.path === place || posix.basename(service.path) === name)?.path
    }
    for (const one of composed) {
      const own = pathOf(one.name)
      if (own !== undefined)
        needs.set(own, [...(needs.get(own) ?? []), ...one.needs.flatMap((name) => pathOf(name) ?? [])])
    }
  }
  return needs
}

function entitiesOf(
  { eyes, infrastructure, testing }: Surveyed,
  services: readonly MapService[],
  found: readonly DescribedService[],
): Record<string, MapEntity> {
  const entities = new Map<string, MapEntity>()
  const add = (name: string, entity: MapEntity) => {
    const is_taken = entities.has(name)
    entities.set(is_taken ? `${name} (${entity.DesignRoot})` : name, entity)
  }
  for (const { name, path } of services) {
    const docs = found.find((one) => one.path === path)?.docs ?? []
    add(name, { Type: 'Service', DesignRoot: path, RequiredDocs: [...docs] })
  }
  for (const [places, Type] of [
    [infrastructure, 'Infrastructure'],
    [testing, 'Testing'],
  ] as const)
    for (const { path, readable } of places) {
      const name = humanName(posix.basename(path).replace(/^\./, ''))
      add(name, { Type, DesignRoot: path, RequiredDocs: readable ? requiredDocs(eyes.listBelow(path)) : [] })
    }
  return Object.fromEntries(entities)
}
