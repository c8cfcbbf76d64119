import {
  closeSync,
  type Dirent,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from 'node:fs'
import { resolve } from 'node:path'
import { compileNameRules, hasControlCharacters, type NameRules } from '../../guard/blocked-names.ts'
import { tryQuietly } from '../../guard/faults.ts'
import { DEPTH_MAX } from '../../guard/input-path.ts'
import { at, itself, NAME_FOLDER } from '../../guard/kernel/descriptors.ts'
import { readMountPoints } from '../../guard/kernel/mounts.ts'
import type { IndexJob } from '../index/index-job.ts'
import { type IgnoreRules, isIgnored } from './index-ignore.ts'
import { findIgnoreStart, IGNORE_FILE, type IgnoreStart, rulesInFolder } from './index-ignore-files.ts'
import { findSkip, type MetFile, type SkipReason, stampOf } from './index-stamp.ts'

/** Stands for bytes that are no text; such a name cannot be asked for again. */
const NO_TEXT = '\ufffd'

/** A file that is gone by now is nothing rare. */
const WITHOUT_THROWING = { throwIfNoEntry: false } as const

/** Files of one project. */
const FILES_MAX = 500_000

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
  /** The real path of the project, with a slash behind it. */
  readonly top: string
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
 * Meets the files of a project that are neither closed nor ignored, and looks at their stamps. Each folder is held
 * while it is listed, so that none that was swapped for a link gives names of what is closed or elsewhere; whatever is
 * read later is read through the guard. Answers whether a limit kept it from meeting all.
 */
export function meetFiles(rules: WalkRules, meet: MeetFile): boolean {
  const walk = startWalk(rules, meet)
  walkFolder(walk, topOf(rules))
  return walk.capped
}

/** The same, with all files at once. */
export function walkProject(rules: WalkRules): WalkFindings {
  const files: MetFile[] = []
  const capped = meetFiles(rules, (path, stat, skip) => files.push({ path, stamp: stampOf(stat), skip }))
  return { files, capped }
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
  meetBelow(walk, topOf(rules), names, last)
  return { files, capped: walk.capped }
}

function startWalk(rules: WalkRules, meet: MeetFile): Walk {
  const { project_root, closed } = rules
  const mounts = [...readMountPoints()].filter((place) => place.startsWith(`${project_root}/`))
  return {
    rules,
    top: `${realpathSync(project_root)}/`,
    dev: lstatSync(project_root).dev,
    hidden: new Set([...closed, ...mounts]),
    meet,
    files: 0,
    capped: false,
  }
}

function topOf({ ignore }: WalkRules): MetFolder {
  return { prefix: '', depth: 0, ignore: ignore?.rules }
}

function meetBelow(walk: Walk, met: MetFolder, [next, ...names]: readonly string[], last: string): void {
  holdFolder(walk, met, (fd) => {
    const folder = withOwnRules(walk, met, fd)
    if (next === undefined) return meetAtPath(walk, folder, fd, last)
    if (!isOpen(walk, folder, next) || !isRealFolder(fd, next) || isLeftOut(walk, folder, next, true)) return
    const inner = below(walk, folder, next)
    if (inner) meetBelow(walk, inner, names, last)
  })
}

function meetAtPath(walk: Walk, folder: MetFolder, fd: number, name: string): void {
  const is_folder = isRealFolder(fd, name)
  if (!isOpen(walk, folder, name) || isLeftOut(walk, folder, name, is_folder)) return
  const inner = is_folder ? below(walk, folder, name) : undefined
  if (inner) walkFolder(walk, inner)
  else if (!is_folder) meetFile(walk, folder, fd, name)
}

/**
 * Holds a folder and works in it, if it is the real one of its path: a link there, or further up, leads to another
 * folder, and the kernel tells which.
 */
function holdFolder(walk: Walk, { prefix }: MetFolder, work: (fd: number) => void): void {
  const place = hostPath(walk, prefix.slice(0, -1))
  const fd = tryQuietly(() => openSync(place, NAME_FOLDER))
  if (fd === undefined) return
  try {
    if (prefix === '' || readlinkSync(itself(fd)) === walk.top + prefix.slice(0, -1)) work(fd)
  } finally {
    closeSync(fd)
  }
}

function walkFolder(walk: Walk, met: MetFolder): void {
  holdFolder(walk, met, (fd) => {
    const entries = tryQuietly(() => readdirSync(at(fd, ''), { withFileTypes: true })) ?? []
    const folder = entries.some(({ name }) => name === IGNORE_FILE) ? withOwnRules(walk, met, fd) : met
    for (const entry of entries) {
      if (isOpen(walk, folder, entry.name)) meetEntry(walk, folder, fd, entry)
    }
  })
}

function meetEntry(walk: Walk, folder: MetFolder, fd: number, entry: Dirent): void {
  const is_folder = entry.isDirectory()
  if (isLeftOut(walk, folder, entry.name, is_folder)) return
  if (!is_folder) meetFile(walk, folder, fd, entry.name)
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

function withOwnRules({ rules }: Walk, folder: MetFolder, fd: number): MetFolder {
  const { ignore } = rules
  if (ignore === undefined) return folder
  const { prefix } = folder
  const own = rulesInFolder(itself(fd), ignore.prefix + prefix, folder.ignore)
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

function isRealFolder(fd: number, name: string): boolean {
  return findStat(at(fd, name))?.isDirectory() === true
}

function meetFile(walk: Walk, { prefix }: MetFolder, fd: number, name: string): void {
  if (walk.files >= FILES_MAX) {
    walk.capped = true
    return
  }
  const stat = findStat(at(fd, name))
  if (stat === undefined) return
  const path = prefix + name
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
