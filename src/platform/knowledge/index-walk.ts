import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs'
import { resolve } from 'node:path'
import { compileNameRules, hasControlCharacters, type NameRules } from '../guard/blocked-names.ts'
import { tryQuietly } from '../guard/faults.ts'
import { DEPTH_MAX } from '../guard/input-path.ts'
import { readMountPoints } from '../guard/mounts.ts'
import { type IgnoreRules, isIgnored } from './index-ignore.ts'
import { findIgnoreStart, IGNORE_FILE, type IgnoreStart, rulesInFolder } from './index-ignore-files.ts'
import type { IndexJob } from './index-job.ts'
import { FILES_MAX } from './index-limits.ts'
import { findSkip, type MetFile, type SkipReason, stampOf } from './index-stamp.ts'

/** Stands for bytes that are no text; such a name cannot be asked for again. */
const NO_TEXT = '\ufffd'

/** A file that is gone by now is nothing rare. */
const WITHOUT_THROWING = { throwIfNoEntry: false } as const

/** Not the name of anything in a folder. */
const NO_NAMES = new Set(['', '.', '..'])

/** What a walk keeps to. */
export interface WalkRules {
  readonly project_root: string
  readonly names: NameRules
  /** Absolute places that are closed wherever they lie. */
  readonly closed: ReadonlySet<string>
  readonly ignore: IgnoreStart | undefined
  /** Whether a file there may have several names. */
  mayHaveNames(path: string): boolean
}

/** How a job's project is walked. */
export function walkRulesOf(job: IndexJob): WalkRules {
  const { project_root, block_patterns, closed_paths, hard_link_stores } = job
  const stores = hard_link_stores.map((store) => `${store.replace(/\/$/, '')}/`)
  return {
    project_root,
    names: compileNameRules(block_patterns),
    closed: new Set(closed_paths.map((path) => resolve(path))),
    ignore: findIgnoreStart(project_root),
    mayHaveNames: (path) => stores.some((store) => path.startsWith(store)),
  }
}

/** What a walk met; `capped` where a limit kept it from meeting all. */
export interface WalkFindings {
  readonly files: MetFile[]
  capped: boolean
}

/** Told of each file in turn; nothing is kept of those that nobody keeps. */
export type MeetFile = (path: string, stat: Stats, skip: SkipReason | undefined) => void

interface Walk {
  readonly rules: WalkRules
  readonly meet: MeetFile
  files: number
  capped: boolean
  /** Whether enough is known. */
  is_over: boolean
  /** The project's device: nothing on another one is read. */
  readonly dev: number
  /** Closed places, and whatever is mounted in the project at this moment. */
  readonly hidden: ReadonlySet<string>
}

/** A folder on the way, relative to the project. */
interface MetFolder {
  /** Empty, or ending with `/`. */
  readonly prefix: string
  readonly depth: number
  /** What the folders above it leave out. */
  readonly ignore: IgnoreRules | undefined
}

/**
 * Meets the files of a project that are neither closed nor ignored, and looks at their stamps. It gives names and
 * stamps alone: whatever is read later is read through the guard, which a swapped folder does not deceive. Answers
 * whether a limit kept it from meeting all.
 */
export function meetFiles(rules: WalkRules, meet: MeetFile): boolean {
  const walk = startWalk(rules, meet)
  walkFolder(walk, topOf(rules))
  return walk.capped
}

/** The same, with all files at once; of each that is to be read it is told as soon as it is met. */
export function walkProject(rules: WalkRules, expectFile?: (file: MetFile) => void): WalkFindings {
  const files: MetFile[] = []
  const capped = meetFiles(rules, (path, stat, skip) => {
    const file = { path, stamp: stampOf(stat), skip }
    files.push(file)
    if (skip === undefined) expectFile?.(file)
  })
  return { files, capped }
}

/** Whether there are so many files to be read, which is known as soon as so many are met. */
export function hasFiles(rules: WalkRules, count: number): boolean {
  let met = 0
  const walk = startWalk(rules, (_path, _stat, skip) => {
    if (skip === undefined) met += 1
    walk.is_over = met >= count
  })
  walkFolder(walk, topOf(rules))
  return met >= count
}

/**
 * Meets what is at one path: a file, all files of a folder, or nothing where there is nothing to be indexed, be it
 * closed, ignored, reached through a link or gone.
 */
export function walkPath(rules: WalkRules, path: string): WalkFindings {
  const files: MetFile[] = []
  const walk = startWalk(rules, (met, stat, skip) => files.push({ path: met, stamp: stampOf(stat), skip }))
  const names = path.split('/')
  const last = names.pop() as string
  if ([...names, last].some((name) => NO_NAMES.has(name))) return { files, capped: false }
  let folder: MetFolder | undefined = topOf(rules)
  for (const name of names) folder = folder && findFolder(walk, withOwnRules(walk, folder), name)
  if (folder) meetAtPath(walk, withOwnRules(walk, folder), last)
  return { files, capped: walk.capped }
}

function startWalk(rules: WalkRules, meet: MeetFile): Walk {
  const { project_root, closed } = rules
  const mounts = [...readMountPoints()].filter((place) => place.startsWith(`${project_root}/`))
  return {
    rules,
    dev: lstatSync(project_root).dev,
    hidden: new Set([...closed, ...mounts]),
    meet,
    files: 0,
    capped: false,
    is_over: false,
  }
}

function topOf({ ignore }: WalkRules): MetFolder {
  return { prefix: '', depth: 0, ignore: ignore?.rules }
}

function findFolder(walk: Walk, folder: MetFolder, name: string): MetFolder | undefined {
  if (!isOpen(walk, folder, name) || !isRealFolder(walk, folder.prefix + name)) return undefined
  return isLeftOut(walk, folder, name, true) ? undefined : below(walk, folder, name)
}

function meetAtPath(walk: Walk, folder: MetFolder, name: string): void {
  const is_folder = isRealFolder(walk, folder.prefix + name)
  if (!isOpen(walk, folder, name) || isLeftOut(walk, folder, name, is_folder)) return
  const inner = is_folder ? below(walk, folder, name) : undefined
  if (inner) walkFolder(walk, inner)
  else if (!is_folder) meetFile(walk, folder.prefix + name)
}

function walkFolder(walk: Walk, met: MetFolder): void {
  const place = hostPath(walk, met.prefix.slice(0, -1))
  const entries = tryQuietly(() => readdirSync(place, { withFileTypes: true })) ?? []
  const folder = entries.some(({ name }) => name === IGNORE_FILE) ? withOwnRules(walk, met) : met
  for (const entry of entries) {
    if (walk.is_over) return
    if (isOpen(walk, folder, entry.name)) meetEntry(walk, folder, entry)
  }
}

function meetEntry(walk: Walk, folder: MetFolder, entry: Dirent): void {
  const is_folder = entry.isDirectory()
  if (isLeftOut(walk, folder, entry.name, is_folder)) return
  if (!is_folder) meetFile(walk, folder.prefix + entry.name)
  else {
    const inner = below(walk, folder, entry.name)
    if (inner) walkFolder(walk, inner)
  }
}

function below(walk: Walk, { prefix, depth, ignore }: MetFolder, name: string): MetFolder | undefined {
  if (depth < DEPTH_MAX) return { prefix: `${prefix}${name}/`, depth: depth + 1, ignore }
  walk.capped = true
  return undefined
}

function withOwnRules({ rules }: Walk, folder: MetFolder): MetFolder {
  const { project_root, ignore } = rules
  if (ignore === undefined) return folder
  const { prefix } = folder
  const own = rulesInFolder(`${project_root}/${prefix}`, ignore.prefix + prefix, folder.ignore)
  return { ...folder, ignore: own }
}

function isOpen({ rules, hidden }: Walk, { prefix }: MetFolder, name: string): boolean {
  const isClosed = rules.names.isClosed(name) || name.includes(NO_TEXT) || hasControlCharacters(name)
  if (isClosed) return false
  return hidden.size === 0 || !hidden.has(`${rules.project_root}/${prefix}${name}`)
}

function isLeftOut({ rules }: Walk, folder: MetFolder, name: string, is_folder: boolean): boolean {
  if (folder.ignore === undefined || rules.ignore === undefined) return false
  return isIgnored(folder.ignore, rules.ignore.prefix + folder.prefix + name, is_folder)
}

function isRealFolder(walk: Walk, path: string): boolean {
  return tryQuietly(() => lstatSync(hostPath(walk, path)))?.isDirectory() === true
}

function meetFile(walk: Walk, path: string): void {
  if (walk.files >= FILES_MAX) {
    walk.capped = true
    return
  }
  const stat = findStat(`${walk.rules.project_root}/${path}`)
  if (stat === undefined) return
  walk.files += 1
  walk.meet(path, stat, findSkip(stat, walk.dev, walk.rules.mayHaveNames(path)))
}

function hostPath({ rules }: Walk, path: string): string {
  return path === '' ? rules.project_root : `${rules.project_root}/${path}`
}

function findStat(place: string): Stats | undefined {
  try {
    return lstatSync(place, WITHOUT_THROWING)
  } catch {
    return undefined
  }
}
