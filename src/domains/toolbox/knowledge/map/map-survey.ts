import { posix } from 'node:path'
import type { Guard } from '../../../../platform/guard/guard.ts'
import { findTextBytes } from '../../search/search-part.ts'
import type { MapJob } from '../usage/tree-job.ts'
import { joinServices } from './map-join.ts'
import { readManifest } from './map-manifest.ts'
import {
  DOC_FOLDERS,
  findInfrastructureFile,
  findInfrastructureFolder,
  findMapLanguage,
  humanName,
  isFrameFile,
  isManifest,
  isPassedBy,
  SERVICE_FOLDERS,
  TEST_FOLDERS,
} from './map-names.ts'
import { describeService, type FrameKind, isAround, type ServicePlace } from './map-service.ts'
import type { MapPlace, SystemMap } from './map-shape.ts'

const DEPTH_LIMIT = 5
const FOLDERS_LIMIT = 3_000
const ENTRIES_LIMIT = 2_000
const FILES_LIMIT = 20_000
const PLACES_LIMIT = 300
const MANIFEST_MAX_BYTES = 256 * 1024

/** How the tree is looked at: names of folders may be seen where their files may not be read. */
export interface MapEyes {
  list(path: string): { name: string; kind: 'file' | 'folder' | 'link' }[]
  isReadable(path: string): boolean
  /** All files below, for one that may be read. */
  listBelow(path: string): string[]
  readText(path: string): string | undefined
  /** Whether a limit kept anything from being shown. */
  is_capped: boolean
}

interface Survey {
  readonly eyes: MapEyes
  /** The service of the seat. */
  readonly own: string | undefined
  readonly services: ServicePlace[]
  readonly infrastructure: MapPlace[]
  readonly docs: MapPlace[]
  readonly testing: MapPlace[]
  folders: number
}

/** Looks over a tree, from its top down. */
export function surveyTree(guard: Guard, outer: Guard | undefined, job: MapJob): SystemMap {
  const eyes = openEyes(guard, outer, job)
  const survey: Survey = {
    eyes,
    own: job.service,
    services: [],
    infrastructure: [],
    docs: [],
    testing: [],
    folders: 0,
  }
  visitFolder(survey, job.outer ? '.' : job.root_dir, 0)
  const paths = survey.services.map(({ path }) => path)
  const services = survey.services.map((place) => {
    const inner = paths.filter((path) => path !== place.path && isAround(place.path, path))
    return { ...describeService(eyes, place, inner), has_inner: inner.length > 0 }
  })
  return joinServices({ ...survey, services })
}

function openEyes(guard: Guard, outer: Guard | undefined, { outer: outer_scope }: MapJob): MapEyes {
  // The guard of the seat takes full paths, too, and decides about them as about any other.
  const base = outer_scope?.service_root
  const own = (path: string) => (base === undefined ? path : posix.join(base, path))
  const looking = outer ?? guard
  const isReadable = (path: string): boolean =>
    tryQuietly(() => (guard.check(own(path), 'read'), true)) ?? false
  /** Nothing for what is gone, closed or too large: a map leaves it out. */
  const entriesOf = (path: string, recursive: boolean) => {
    const limit = recursive ? FILES_LIMIT : ENTRIES_LIMIT
    const found = tryQuietly(() => looking.list(path, { recursive, limit }))
    eyes.is_capped ||= found?.capped === true
    return found?.entries ?? []
  }
  const eyes: MapEyes = {
    is_capped: false,
    isReadable,
    list: (path) =>
      entriesOf(path, false).map(({ path: own_path, kind }) => ({ name: posix.basename(own_path), kind })),
    listBelow: (path) =>
      isReadable(path)
        ? entriesOf(path, true)
            .filter(({ kind }) => kind === 'file')
            .map((entry) => entry.path)
        : [],
    readText(path) {
      const found = tryQuietly(() => guard.readFile(own(path), MANIFEST_MAX_BYTES))
      return found && findTextBytes(found.bytes)?.toString('utf8')
    },
  }
  return eyes
}

function tryQuietly<Result>(look: () => Result): Result | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}

function visitFolder(survey: Survey, path: string, depth: number): void {
  survey.folders += 1
  if (survey.folders > FOLDERS_LIMIT) {
    survey.eyes.is_capped = true
    return
  }
  const entries = survey.eyes.list(path)
  for (const { name } of entries.filter(({ kind }) => kind === 'file')) notePart(survey, path, name)
  const manifests = entries.filter(({ name, kind }) => kind === 'file' && isManifest(name))
  const is_service = depth > 0 && (manifests.length > 0 || SERVICE_FOLDERS.has(parentOf(path)))
  const is_top = depth === 0 && manifests.length > 0
  const is_frame = (is_service || is_top) && isFrame(survey.eyes, path, entries)
  if (is_service || is_top) noteService(survey, path, is_frame ? 'declared' : is_top ? 'top' : 'none')
  if (is_service && path !== survey.own && !survey.eyes.isReadable(path)) return
  if (depth >= DEPTH_LIMIT) return
  for (const { name } of entries.filter(({ kind }) => kind === 'folder'))
    visitEntry(survey, join(path, name), name, depth, is_service && !is_frame)
}

/** Whether a folder says of itself that it holds several: then each of them is a service. */
function isFrame(eyes: MapEyes, path: string, entries: readonly { name: string }[]): boolean {
  return entries.some(
    ({ name }) =>
      isFrameFile(name) ||
      (isManifest(name) && readManifest(name, eyes.readText(join(path, name)) ?? '').is_frame),
  )
}

function visitEntry(
  survey: Survey,
  path: string,
  name: string,
  depth: number,
  in_service: boolean,
  is_inner = false,
): void {
  if (isPassedBy(name)) return
  // Deep in a service the name of a folder alone says too little.
  const infrastructure = is_inner ? undefined : findInfrastructureFolder(path)
  const is_docs = DOC_FOLDERS.has(name) && !isCodeAlone(survey.eyes, path)
  if (TEST_FOLDERS.has(name)) note(survey, survey.testing, path, 'tests')
  else if (is_docs) note(survey, survey.docs, path, 'docs')
  else if (infrastructure !== undefined) note(survey, survey.infrastructure, path, infrastructure)
  const is_noted = TEST_FOLDERS.has(name) || is_docs || infrastructure !== undefined
  // `apps/docs` is a service as its neighbours are, whatever else it is.
  if (is_noted && (in_service || !SERVICE_FOLDERS.has(parentOf(path)))) return
  if (in_service) visitInner(survey, path, depth + 1)
  else visitFolder(survey, path, depth + 1)
}

/** A package that makes documents, or tells of them, may be called as a folder of documents is. */
function isCodeAlone(eyes: MapEyes, path: string): boolean {
  if (!eyes.isReadable(path)) return false
  const entries = eyes.list(path)
  const files = entries.filter(({ kind }) => kind === 'file')
  return (
    files.length === entries.length &&
    files.some(({ name }) => findMapLanguage(name) !== undefined) &&
    !files.some(({ name }) => /\.(?:mdx?|markdown|rst|adoc|txt|html?|pdf)$/i.test(name))
  )
}

/** Inside a service there are no further ones; what else belongs on a map is looked for. */
function visitInner(survey: Survey, path: string, depth: number): void {
  survey.folders += 1
  if (survey.folders > FOLDERS_LIMIT || depth > DEPTH_LIMIT) {
    survey.eyes.is_capped ||= survey.folders > FOLDERS_LIMIT
    return
  }
  for (const { name, kind } of survey.eyes.list(path))
    if (kind === 'file') notePart(survey, path, name)
    else if (kind === 'folder') visitEntry(survey, join(path, name), name, depth, true, true)
}

function notePart(survey: Survey, folder: string, name: string): void {
  const kind = findInfrastructureFile(name)
  if (kind === undefined) return
  // A folder of Terraform or Helm counts once, by its folder.
  const is_folder = kind === 'terraform' || kind === 'helm' || kind === 'kubernetes'
  note(survey, survey.infrastructure, is_folder && folder !== '.' ? folder : join(folder, name), kind)
}

function note(survey: Survey, places: MapPlace[], path: string, kind: string): void {
  if (places.some((place) => place.path === path)) return
  if (places.length >= PLACES_LIMIT) survey.eyes.is_capped = true
  else places.push({ path, kind, readable: survey.eyes.isReadable(path) })
}

function noteService(survey: Survey, path: string, frame: FrameKind): void {
  if (survey.services.length >= PLACES_LIMIT) survey.eyes.is_capped = true
  else survey.services.push({ path, frame, name: humanName(posix.basename(path)) })
}

function parentOf(path: string): string {
  return posix.basename(posix.dirname(path))
}

function join(folder: string, name: string): string {
  return folder === '.' ? name : `${folder}/${name}`
}
