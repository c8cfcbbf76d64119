import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Hub } from '../../../operations/hub.ts'
import { boundedCache } from '../../../platform/basics/cache.ts'
import { PACKAGE_FOLDER } from '../../../platform/basics/package-folder.ts'
import { partOf } from '../../../platform/basics/part-of.ts'
import { type FileState, watchFile } from '../../../platform/policy/watched-file.ts'
import type { Connector } from './connector.ts'
import type { ConnectorManifest } from './manifest-schema.ts'
import { CONNECTOR_ID, ManifestSchema } from './manifest-schema.ts'

/** A manifest that cannot be used. The others can. */
export interface ConnectorFault {
  readonly file: string
  readonly message: string
}

/** The connectors there are, and what is wrong with those that are not. */
export interface ConnectorList {
  readonly connectors: Connector[]
  readonly faults: ConnectorFault[]
}

/** Folders beyond these are not looked into. */
const FOLDERS_LIMIT = 200
const NO_MANIFEST = undefined as ConnectorManifest | undefined

/** Manifests are read when they change, not with every call. */
const openReaders = () => boundedCache(4 * FOLDERS_LIMIT, readManifest)

const readManifest = (file: string) =>
  watchFile<ConnectorManifest | undefined>(file, ManifestSchema, NO_MANIFEST)

/** Every connector: those shipped with the program, then the owner's own. A broken one takes no other along. */
export async function listConnectors(hub: Pick<Hub, 'home' | 'parts'>): Promise<ConnectorList> {
  const connectors = new Map<string, Connector>()
  const faults: ConnectorFault[] = []
  const readerOf = partOf(hub, openReaders)
  for (const parent of [join(PACKAGE_FOLDER, 'connectors'), join(hub.home.folder, 'connectors')])
    for (const name of foldersIn(parent, faults)) {
      const folder = join(parent, name)
      const read = connectorIn(folder, name, readerOf(join(folder, 'manifest.yaml'))())
      if ('message' in read) faults.push(read)
      else if (connectors.has(name)) faults.push(faultOf(join(parent, name), `${name} is shipped already`))
      else connectors.set(name, read)
    }
  return { connectors: [...connectors.values()], faults }
}

/** The connector of an id, where there is a usable one. */
export async function findConnector(
  hub: Pick<Hub, 'home' | 'parts'>,
  connector_id: string,
): Promise<Connector | undefined> {
  if (!CONNECTOR_ID.test(connector_id)) return undefined
  const { connectors } = await listConnectors(hub)
  return connectors.find(({ manifest }) => manifest.connector_id === connector_id)
}

/** A file in the folder, or a folder with an odd name, is none of ours. */
function foldersIn(parent: string, faults: ConnectorFault[]): string[] {
  try {
    const found = readdirSync(parent, { withFileTypes: true })
    const names = found.filter((entry) => entry.isDirectory() && CONNECTOR_ID.test(entry.name))
    return names
      .map(({ name }) => name)
      .toSorted()
      .slice(0, FOLDERS_LIMIT)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') faults.push({ file: parent, message: `It cannot be read (${code}).` })
    return []
  }
}

function connectorIn(
  folder: string,
  name: string,
  { value: manifest, damaged }: FileState<ConnectorManifest | undefined>,
): Connector | ConnectorFault {
  const file = join(folder, 'manifest.yaml')
  if (damaged !== undefined) return { file, message: damaged.slice(file.length + 2) }
  if (!manifest) return { file, message: 'There is no manifest.' }
  if (manifest.connector_id !== name) return faultOf(folder, 'connector_id is not the name of its folder')
  return {
    manifest,
    load: async () => (await import('./load-collector.ts')).loadCollector(manifest, folder),
  }
}

function faultOf(folder: string, message: string): ConnectorFault {
  return { file: join(folder, 'manifest.yaml'), message }
}
