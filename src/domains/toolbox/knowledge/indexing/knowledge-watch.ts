import { type FSWatcher, lstatSync, watch as watchFolder } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { compileNameRules } from '../../../../platform/guard/blocked-names.ts'
import { PATHS_MAX } from '../../../../platform/knowledge/index/index-job.ts'
import { indexPlaceOf } from '../../../../platform/knowledge/index/index-place.ts'
import { parseManifest } from '../../../../platform/knowledge/index/manifest.ts'

/** Projects that are watched at once, and folders of each; whatever is beyond is found by looking through again. */
const PROJECTS_MAX = 8
const FOLDERS_MAX = 8_000
/** A program that answers one call and ends does not watch. */
const BEGIN_AFTER_MS = 1_000
/** Changes come in bursts. */
const GATHER_MS = 300
const BUSY_PAUSE_MS = 200
const RESCAN_EVERY_MS = 300_000
/** A project that nobody asked about for so long is not watched any more. */
const FORGET_AFTER_MS = 3_600_000
const FOLDERS_A_TURN = 200

const CLOSED = compileNameRules([])

interface WatchTools {
  isRunning(project_root: string): boolean
  /** Starts a run over these paths, or over all. */
  start(project_root: string, paths: readonly string[] | undefined): Promise<void>
}

/** Starts the indexer when something changes in the projects that were asked about lately. */
export interface ProjectWatch {
  ask(project_root: string): void
  /** After a run: there may be new folders. */
  onIndexed(project_root: string): void
  close(): void
}

interface Watched {
  readonly project_root: string
  readonly watchers: Map<string, FSWatcher>
  readonly timers: Set<NodeJS.Timeout>
  /** Paths that changed since the last run; undefined means that anything may have. */
  changed: Set<string> | undefined
  gathering: boolean
  /** Whether the next run is to be followed by a look for folders, and whether the one that goes on is. */
  folders_changed: boolean
  looks_after: boolean
  is_watching: boolean
  asked_ms: number
  is_over: boolean
}

/** Opens the watch of one hub; nothing is watched before something is asked about. */
export function watchProjects(tools: WatchTools): ProjectWatch {
  const projects = new Map<string, Watched>()
  function leave(one: Watched): void {
    one.is_over = true
    projects.delete(one.project_root)
    for (const timer of one.timers) clearTimeout(timer)
    for (const watcher of one.watchers.values()) watcher.close()
    one.watchers.clear()
  }
  function enter(project_root: string): Watched {
    const one = makeWatched(project_root)
    after(one, BEGIN_AFTER_MS, () => begin(one, tools, leave))
    return one
  }
  return {
    ask(project_root) {
      const one = projects.get(project_root) ?? enter(project_root)
      one.asked_ms = performance.now()
      projects.delete(project_root)
      projects.set(project_root, one)
      for (const oldest of projects.values()) {
        if (projects.size <= PROJECTS_MAX) break
        leave(oldest)
      }
    },
    onIndexed(project_root) {
      const one = projects.get(project_root)
      if (!one?.is_watching || !one.looks_after) return
      one.looks_after = false
      void watchFolders(one, tools)
    },
    close: () => [...projects.values()].forEach(leave),
  }
}

function makeWatched(project_root: string): Watched {
  return {
    project_root,
    watchers: new Map(),
    timers: new Set(),
    changed: new Set(),
    gathering: false,
    folders_changed: true,
    looks_after: false,
    is_watching: false,
    asked_ms: 0,
    is_over: false,
  }
}

/** What keeps nobody from ending, and is over with the watch. */
function after(one: Watched, ms: number, act: () => void): void {
  if (one.is_over) return
  const timer = setTimeout(() => {
    one.timers.delete(timer)
    act()
  }, ms).unref()
  one.timers.add(timer)
}

async function begin(one: Watched, tools: WatchTools, leave: (one: Watched) => void): Promise<void> {
  one.is_watching = true
  await watchFolders(one, tools)
  const rescan = () => {
    if (performance.now() - one.asked_ms > FORGET_AFTER_MS) return leave(one)
    note(one, tools, undefined)
    after(one, RESCAN_EVERY_MS, rescan)
  }
  after(one, RESCAN_EVERY_MS, rescan)
}

/** Watches the folders that indexed files lie in, and leaves those that are gone. */
async function watchFolders(one: Watched, tools: WatchTools): Promise<void> {
  const folders = await foldersOf(one.project_root)
  for (const [folder, watcher] of one.watchers) {
    if (folders.has(folder)) continue
    watcher.close()
    one.watchers.delete(folder)
  }
  const added: string[] = []
  for (const folder of folders) {
    if (one.is_over || one.watchers.size >= FOLDERS_MAX) break
    if (!one.watchers.has(folder) && watchOne(one, tools, folder)) added.push(folder)
    if (added.length % FOLDERS_A_TURN === FOLDERS_A_TURN - 1) await nextTurn()
  }
  noteAdded(one, tools, added)
}

/** What changed in a folder before it was watched is looked for now; there may be further folders in it. */
function noteAdded(one: Watched, tools: WatchTools, added: readonly string[]): void {
  if (added.length === 0) return
  if (added.length > PATHS_MAX || added.includes('')) return note(one, tools, undefined)
  one.folders_changed = true
  for (const folder of added) note(one, tools, folder)
}

async function foldersOf(project_root: string): Promise<Set<string>> {
  const folders = new Set<string>([''])
  const text = await readFile(indexPlaceOf(project_root).manifest, 'utf8').catch(() => '{}')
  for (const path of parseManifest(text)?.keys() ?? []) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  return folders
}

function watchOne(one: Watched, tools: WatchTools, folder: string): boolean {
  try {
    const watcher = watchFolder(join(one.project_root, folder), { persistent: false }, (event, name) => {
      if (name === null) return note(one, tools, undefined)
      if (CLOSED.isClosed(name)) return
      const path = folder === '' ? name : `${folder}/${name}`
      if (event === 'rename' && isFolder(join(one.project_root, path))) one.folders_changed = true
      note(one, tools, path)
    })
    // A folder that goes away is told of by the one above it.
    watcher.on('error', () => {
      watcher.close()
      one.watchers.delete(folder)
    })
    one.watchers.set(folder, watcher)
    return true
  } catch {
    // Too many watched already, or gone: found when all is looked through again.
    return false
  }
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function note(one: Watched, tools: WatchTools, path: string | undefined): void {
  if (path === undefined || (one.changed && one.changed.size >= PATHS_MAX)) {
    one.changed = undefined
    one.folders_changed = true
  } else one.changed?.add(path)
  if (one.gathering) return
  one.gathering = true
  after(one, GATHER_MS, () => hand(one, tools))
}

/** Hands the gathered changes to a run, after the one that may still go on. */
function hand(one: Watched, tools: WatchTools): void {
  if (tools.isRunning(one.project_root)) return after(one, BUSY_PAUSE_MS, () => hand(one, tools))
  const { changed } = one
  one.changed = new Set()
  one.gathering = false
  one.looks_after = one.folders_changed
  one.folders_changed = false
  // A policy that cannot be read now lets nothing be indexed; the next change tries again.
  void tools.start(one.project_root, changed && [...changed]).catch(() => {})
}
