import { posix } from 'node:path'
import { firstOf } from './first-of.ts'
import { type ManifestFacts, readManifest } from './map-manifest.ts'
import { CODE_FOLDERS, findDocOrder, findMapLanguage, isManifest, TEST_FOLDERS } from './map-names.ts'
import { packagesOf } from './map-packages.ts'
import type { MapService } from './map-shape.ts'
import type { MapEyes } from './map-survey.ts'

const DOCUMENTS = ['docs', 'plans']
const SHOWN_LANGUAGES = 4
const SHOWN_ENTRIES = 10
const SHOWN_DOCS = 20

export type FrameKind = 'none' | 'top' | 'declared'

/** Where a service was found. */
export interface ServicePlace {
  readonly path: string
  /** Whether it says of itself that it holds others, or may do so for being the top. */
  readonly frame: FrameKind
  readonly name: string
}

/** A service as it was found, before it is put beside the others. */
export interface DescribedService extends Omit<MapService, 'depends_on'> {
  readonly frame: FrameKind
  /** Whether there are others below its folder. */
  readonly has_inner: boolean
  readonly docs: readonly string[]
  readonly facts: readonly ManifestFacts[]
  /** Folders with code right in it, itself included. */
  readonly code_folders: readonly string[]
}

const ENTRY = new RegExp(
  [
    '^(?:(?:src|app|public|cmd/[^/]+|src/bin(?:/[^/]+)?)/)?(?:main|__main__|manage|program)\\.(?!md|html|css)\\w+$',
    '^(?:(?:src|app|public|cmd/[^/]+)/)?(?:index|server|app|cli)\\.(?:[cm]?[jt]sx?|py|php|rb|ex|go)$',
    '^src/bin/[^/]+\\.rs$',
    '^src/(?:main|jvmMain)/(?:java|kotlin)/(?:.*/)?(?:(?:Main|App|Application)\\.kt|(?:Main|App|\\w*Application)\\.java)$',
  ].join('|'),
  'i',
)

export function isAround(outer: string, path: string): boolean {
  return outer === '.' || path.startsWith(`${outer}/`)
}

/**
 * Describes a service, without the ones below it; of one that may not be read, nothing but where it is and what of
 * its documents may.
 */
export function describeService(
  eyes: MapEyes,
  { path, frame, name }: ServicePlace,
  inner: readonly string[],
): Omit<DescribedService, 'has_inner'> {
  const readable = eyes.isReadable(path)
  // A role that reads documents only can read these folders and not the service around them.
  const all = (readable ? [path] : DOCUMENTS.map((folder) => posix.join(path, folder))).flatMap(
    eyes.listBelow,
  )
  const files = inner.length === 0 ? all : all.filter((file) => !inner.some((one) => isAround(one, file)))
  const below = (file: string) => (path === '.' ? file : file.slice(path.length + 1))
  const manifests = files.filter((file) => posix.dirname(file) === path && isManifest(posix.basename(file)))
  const facts = manifests.map((file) => readManifest(file, eyes.readText(file) ?? ''))
  const go = manifests.findIndex((file) => posix.basename(file) === 'go.mod')
  const usual = facts.flatMap(({ usual_entries }) => usual_entries)
  const said = facts.flatMap(({ entry_points }) => entry_points)
  const seen = files.map(below).filter((file) => ENTRY.test(file) || usual.includes(file))
  const tests = files.flatMap((file) => testFolder(below(file))).map((folder) => posix.join(path, folder))
  return {
    name,
    path,
    frame,
    readable,
    languages: readable ? languagesOf(files) : [],
    manifests: manifests.map((file) => posix.basename(file)),
    entry_points: firstOf(eyes, [...new Set([...said, ...seen])], SHOWN_ENTRIES),
    packages: packagesOf(eyes, path, files, facts[go]?.names[0]),
    docs: requiredDocs(files),
    tests: firstOf(eyes, [...new Set(tests)], SHOWN_DOCS),
    facts,
    code_folders: [...new Set(files.map(below).flatMap(codeFolder))].map((folder) =>
      posix.join(path, folder),
    ),
  }
}

/** The folder that a file of code is in; nothing for what says how tools are to work, or lies elsewhere. */
function codeFolder(file: string): string[] {
  const [top = '', ...rest] = file.split('/')
  if (findMapLanguage(file) === undefined) return []
  if (rest.length === 0) return /^\.|\.config\.|\.sh$/.test(file) ? [] : ['.']
  return CODE_FOLDERS.has(top) || rest[0] === '__init__.py' ? [top] : []
}

function testFolder(file: string): string[] {
  const names = file.split('/').slice(0, -1)
  const at = names.findIndex((name) => TEST_FOLDERS.has(name))
  return at < 0 ? [] : [names.slice(0, at + 1).join('/')]
}

/** The most used first. */
function languagesOf(files: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const file of files) {
    const language = findMapLanguage(file)
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1)
  }
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([language]) => language)
    .slice(0, SHOWN_LANGUAGES)
}

/** Overviews, then architecture, then what introduces the folder; nearer to the top first. */
export function requiredDocs(files: readonly string[]): string[] {
  const ordered = files.flatMap((path) => {
    const order = findDocOrder(posix.basename(path))
    return order === undefined || isFar(path) ? [] : [{ path, order, depth: path.split('/').length }]
  })
  return ordered
    .toSorted(
      (one, other) => one.order - other.order || one.depth - other.depth || (one.path < other.path ? -1 : 1),
    )
    .map(({ path }) => path)
    .slice(0, SHOWN_DOCS)
}

function isFar(path: string): boolean {
  return path.split('/').some((name) => name === 'fixtures' || name === 'vendor' || name === 'examples')
}
