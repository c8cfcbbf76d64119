import { posix } from 'node:path'
import { readCompose } from './map-manifest.ts'
import { humanName } from './map-names.ts'
import { type DescribedService, requiredDocs } from './map-service.ts'
import type { MapEntity, MapEyes, MapPlace, MapService, SystemMap } from './map-survey.ts'

interface Surveyed {
  readonly eyes: MapEyes
  readonly services: readonly DescribedService[]
  readonly infrastructure: readonly MapPlace[]
  readonly docs: readonly MapPlace[]
  readonly testing: readonly MapPlace[]
  readonly capped: boolean
}

const ROOT_NAME = 'Project'

/** Puts what was found together: who needs whom, and everything by its name. */
export function joinServices(survey: Surveyed): SystemMap {
  const { infrastructure, docs, testing, capped } = survey
  const found = withoutFrames(survey.services)
  const composed = composedNeeds(survey, found)
  const services = found
    .map((service) => toService(service, found, composed.get(service.path) ?? []))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
  return { services, infrastructure, docs, testing, Entities: entitiesOf(survey, services), capped }
}

/** A folder that holds services together, such as the root, is a frame for them, unless it has a beginning of its own. */
function withoutFrames(services: readonly DescribedService[]): readonly DescribedService[] {
  const isFrame = ({ is_frame, entry_points, path }: DescribedService) =>
    is_frame &&
    entry_points.length === 0 &&
    services.some((one) => one.path !== path && isAround(path, one.path))
  return services.filter((service) => !isFrame(service))
}

function isAround(outer: string, path: string): boolean {
  return outer === '.' || path.startsWith(`${outer}/`)
}

function toService(
  service: DescribedService,
  all: readonly DescribedService[],
  composed: readonly string[],
): MapService {
  const { is_frame, facts, name, ...shown } = service
  const needed = facts.flatMap(({ needs, needed_paths }) => [
    ...needed_paths.map((path) => posix.join(service.path, path)),
    ...needs.flatMap((need) => findCalled(need, all)?.path ?? []),
  ])
  const paths = new Set([...needed, ...composed])
  const others = all.filter(({ path }) => path !== service.path && paths.has(path))
  return {
    name: is_frame && service.path === '.' ? ROOT_NAME : name,
    ...shown,
    depends_on: others.map(({ path }) => path).toSorted(),
  }
}

/** By the name in its manifest; of a service that may not be read only the folder's name is known. */
function findCalled(need: string, all: readonly DescribedService[]): DescribedService | undefined {
  const last = need.split(/[/:]/).at(-1)
  return (
    all.find(({ facts }) => facts.some(({ names }) => names.includes(need))) ??
    all.find(({ readable, path }) => !readable && posix.basename(path) === last)
  )
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
): Record<string, MapEntity> {
  const entities = new Map<string, MapEntity>()
  const add = (name: string, entity: MapEntity) => {
    const is_taken = entities.has(name)
    entities.set(is_taken ? `${name} (${entity.DesignRoot})` : name, entity)
  }
  for (const { name, path, docs } of services)
    add(name, { Type: 'Service', DesignRoot: path, RequiredDocs: docs })
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
