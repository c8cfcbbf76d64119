import type { FSWatcher } from 'chokidar'
import type { Source } from '../connector.ts'
import { requireFolder } from './walk-notes.ts'

/** Changes that come closer together than this are told once. */
const QUIET_MS = 500
/** A folder that never rests is told of at least this often. */
const LONGEST_MS = 5_000
const MAX_DEPTH = 32
const UNSEEN = /(?:^|\/)(?:\.[^/]*|node_modules)(?:\/|$)/

/** Tells of changes below the folder; the answer ends it. What it may miss, the next scheduled run finds. */
export function watchFolder(source: Source, onChange: () => void): () => Promise<void> {
  let watcher: FSWatcher | undefined
  let isOver = false
  const { tell, stop } = gathered(onChange)
  const start = async (): Promise<void> => {
    const root = await requireFolder(source.settings.folder)
    const { watch } = await import('chokidar')
    if (isOver) return
    const ignored = (path: string): boolean => path !== root && UNSEEN.test(path.slice(root.length))
    watcher = watch(root, { ignoreInitial: true, followSymlinks: false, depth: MAX_DEPTH, ignored })
    watcher.on('all', tell)
    watcher.on('error', () =>
      source.log.warn({ connection_id: source.connection_id }, 'a folder cannot be watched'),
    )
  }
  const started = start().catch(() =>
    source.log.warn({ connection_id: source.connection_id }, 'a folder cannot be watched'),
  )
  return async () => {
    isOver = true
    stop()
    await started
    await watcher?.close()
  }
}

function gathered(act: () => void): { tell: () => void; stop: () => void } {
  let quiet: NodeJS.Timeout | undefined
  let longest: NodeJS.Timeout | undefined
  const stop = (): void => {
    clearTimeout(quiet)
    clearTimeout(longest)
    longest = undefined
  }
  const go = (): void => {
    stop()
    act()
  }
  const tell = (): void => {
    clearTimeout(quiet)
    quiet = setTimeout(go, QUIET_MS)
    longest ??= setTimeout(go, LONGEST_MS)
  }
  return { tell, stop }
}
