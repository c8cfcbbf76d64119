import { z } from 'zod'

const Texts = z.array(z.string())
/** A folder or file of the map that is no service. */
const Place = z.strictObject({ path: z.string(), kind: z.string(), readable: z.boolean() })
/** A package of Go or Python inside a service, or a file where there is only one. */
const Package = z.strictObject({ path: z.string(), entry_points: Texts, depends_on: Texts })
/** A service as the map shows it. */
const Service = z.strictObject({
  name: z.string(),
  path: z.string(),
  readable: z.boolean().describe('Whether your tools can read it; if not, nothing but its place is told'),
  languages: Texts,
  manifests: Texts,
  entry_points: Texts.describe('Relative to the service'),
  depends_on: Texts.describe('Paths of other services'),
  packages: z.array(Package).describe('Inside a module of Go or Python, relative to the service'),
  tests: Texts,
})
const Entity = z.strictObject({
  Type: z.enum(['Service', 'Infrastructure', 'Testing']),
  DesignRoot: z.string(),
  RequiredDocs: Texts,
})
/** The tree as it is. */
const SystemMap = z.strictObject({
  services: z.array(Service),
  docs: z.array(Place),
  infrastructure: z.array(Place),
  testing: z.array(Place),
  Entities: z.record(z.string(), Entity),
  capped: z.boolean(),
})

/** What the tool answers: the tree as seen from a seat. */
export const MapOutput = z.strictObject({
  map: z.strictObject({
    _comment: z.string(),
    service: z.string().nullable().describe('Where you sit, as the map calls it'),
    ...SystemMap.shape,
  }),
})
export type MapPackage = z.infer<typeof Package>
export type MapPlace = z.infer<typeof Place>
export type MapService = z.infer<typeof Service>
export type MapEntity = z.infer<typeof Entity>
export type SystemMap = z.infer<typeof SystemMap>
