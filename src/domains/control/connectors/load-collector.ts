import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BUILTIN_COLLECTORS } from './builtin-collectors.ts'
import { type Collector, SourceFault } from './connector.ts'
import { guardCollector } from './guard-collector.ts'
import { type ConnectorManifest } from './manifest-schema.ts'

const BUILTIN = 'builtin:'
const MODULE_NAME = /^(?:\.\/)?[A-Za-z0-9_-]{1,100}\.(?:js|mjs|ts)$/
const WRITABLE_BY_OTHERS = 0o022

/** Loads how a connector works: one that comes with the hub, or the module in the folder of its manifest. */
export async function loadCollector(manifest: ConnectorManifest, folder: string): Promise<Collector> {
  const { collector } = manifest
  if (collector === undefined) throw new SourceFault('refused', manifest.reason)
  if (!collector.startsWith(BUILTIN)) return guardCollector(manifest, await loadModule(folder, collector))
  const name = collector.slice(BUILTIN.length)
  const load = Object.hasOwn(BUILTIN_COLLECTORS, name) ? BUILTIN_COLLECTORS[name] : undefined
  if (!load) throw new Error(`The hub has no collector called ${name}.`)
  return guardCollector(manifest, await load())
}

/** Brings in code that the owner has put there; whoever else could write it could run anything in the hub. */
async function loadModule(folder: string, name: string): Promise<Collector> {
  const path = join(folder, name)
  if (!MODULE_NAME.test(name)) throw new Error(`${path} cannot be the module of a connector.`)
  checkOwned(folder)
  checkOwned(path)
  const { collector } = (await import(versionedUrl(path))) as { collector?: Partial<Collector> }
  if (typeof collector?.probe !== 'function' || typeof collector.collect !== 'function') {
    throw new Error(`${path} does not export a collector with probe and collect.`)
  }
  return collector as Collector
}

/** A module that was changed is another one, so that who writes it need not start the hub anew. */
function versionedUrl(path: string): string {
  const { mtimeMs, size } = lstatSync(path)
  return `${pathToFileURL(path).href}?version=${mtimeMs}-${size}`
}

function checkOwned(path: string): void {
  const stats = lstatSync(path)
  const isOurs = stats.uid === process.getuid?.() || stats.uid === 0
  if (isOurs && (stats.mode & WRITABLE_BY_OTHERS) === 0 && !stats.isSymbolicLink()) return
  throw new Error(`${path} is a link, or others than its owner may write it.`)
}
