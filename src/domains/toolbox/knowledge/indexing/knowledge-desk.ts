import type { Hub } from '../../../../operations/hub.ts'
import { partOf } from '../../../../platform/basics/part-of.ts'
import type { IndexJob } from '../../../../platform/knowledge/index/index-job.ts'
import { indexPlaceOf } from '../../../../platform/knowledge/index/index-place.ts'
import type { ProjectPolicy } from '../../policy/project-policy.ts'
import { workshopOf } from '../../workshop.ts'
import { indexChannel } from './index-channel.ts'
import { indexJobOf } from './knowledge-order.ts'
import { startIndexer } from './knowledge-start.ts'
import { findProgress, type IndexState, readIndexState } from './knowledge-state.ts'
import { type KeptStores, keepStores } from './knowledge-stores.ts'
import { watchProjects } from './knowledge-watch.ts'

/** A run that failed is not tried again at once: whatever stopped it is likely still there. */
const RETRY_AFTER_MS = 10_000
/** What another process has begun is waited for: it may have looked before the last change. */
const WAIT_MS = 60_000
/** Projects that this process remembers to have brought up to date. */
const FOLLOWED_PROJECTS = 256

/** What the knowledge tools of one hub share from call to call. */
export interface KnowledgeDesk {
  readonly stores: KeptStores
  /** Sees to it that the index is made and follows the project; answers how it is, without waiting. */
  follow(project_root: string, policy: ProjectPolicy): Promise<FollowedIndex>
  /** Begins anew where the index that was seen cannot be read, after the run that may still go on. */
  rebuild(project_root: string, policy: ProjectPolicy, index_identity: string): Promise<void>
}

/** How an index is, for whoever wants to search it. */
export interface FollowedIndex extends IndexState {
  /** Whether it is not finished, and the last run that was to finish it came to nothing. */
  readonly is_stuck: boolean
}

/** What this process has done about a project. */
interface Followed {
  /** The manifest and the policy as they last were; nothing before the first run. */
  seen: string | undefined
  started_ms: number
  is_running: boolean
  has_failed: boolean
  /** An index that was found to be damaged while a run went on, which may not have noticed. */
  damaged: string | undefined
}

/** The desk of a hub; the first call opens it, and it closes with the hub. */
export const knowledgeOf = (hub: Hub) => partOf(hub, openDesk)

function openDesk(hub: Hub): KnowledgeDesk {
  const stores = keepStores()
  const followed = new Map<string, Followed>()
  const look = (project_root: string) => readIndexState(project_root, hub.system.now)
  const policyOf = (project_root: string) => workshopOf(hub).policyOf(project_root)
  const watch = watchProjects({
    isRunning: (project_root) =>
      followed.get(project_root)?.is_running === true || look(project_root).is_running,
    start: (project_root, paths) => start(project_root, policyOf(project_root), paths ? { paths } : {}),
  })
  hub.closing.push(async () => {
    watch.close()
    await stores.close()
  })

  async function start(
    project_root: string,
    policy: ProjectPolicy,
    more: Pick<IndexJob, 'paths' | 'rebuild'>,
  ) {
    const one = rememberIn(followed, project_root)
    if (one.is_running) return
    one.is_running = true
    one.started_ms = hub.system.now().getTime()
    one.seen = seenOf(look(project_root), policy)
    indexChannel.publish({ event: 'begun' })
    const child = await startIndexer({ job: indexJobOf(hub, project_root, policy, more), wait_ms: WAIT_MS })
    const end = () => {
      endRun(one, child.exitCode !== 0)
      one.seen = seenOf(look(project_root), policy)
      tellEnd(hub, project_root)
      watch.onIndexed(project_root)
      const isLeft = one.damaged !== undefined && one.damaged === look(project_root).index_identity
      one.damaged = undefined
      if (isLeft) void start(project_root, policy, { rebuild: 'damaged' })
    }
    if (child.pid === undefined || child.exitCode !== null) end()
    else child.once('exit', end)
  }

  return {
    stores,
    async follow(project_root, policy) {
      const state = look(project_root)
      const one = rememberIn(followed, project_root)
      const waited_ms = hub.system.now().getTime() - one.started_ms
      const isDue = state.is_complete ? one.seen !== seenOf(state, policy) : waited_ms >= RETRY_AFTER_MS
      const starts = !state.is_running && (one.seen === undefined || isDue)
      if (starts) await start(project_root, policy, {})
      watch.ask(project_root)
      const is_idle = !starts && !state.is_running && !one.is_running
      return { ...state, is_stuck: is_idle && one.has_failed && !state.is_complete }
    },
    async rebuild(project_root, policy, index_identity) {
      stores.drop(project_root)
      const one = rememberIn(followed, project_root)
      if (one.is_running) one.damaged = index_identity
      else await start(project_root, policy, { rebuild: 'damaged' })
    },
  }
}

function endRun(one: Followed, has_failed: boolean): void {
  one.is_running = false
  one.has_failed = has_failed
  indexChannel.publish({ event: has_failed ? 'failed' : 'finished' })
}

const NOTHING_DONE: Followed = {
  seen: undefined,
  started_ms: 0,
  is_running: false,
  has_failed: false,
  damaged: undefined,
}

function rememberIn(followed: Map<string, Followed>, project_root: string): Followed {
  const one = followed.get(project_root) ?? { ...NOTHING_DONE }
  followed.delete(project_root)
  followed.set(project_root, one)
  if (followed.size > FOLLOWED_PROJECTS) followed.delete(followed.keys().next().value as string)
  return one
}

function seenOf({ manifest_identity }: IndexState, { revision }: ProjectPolicy): string {
  return `${manifest_identity} ${revision}`
}

/** What the owner should know of a run that nobody waited for. */
function tellEnd({ log }: Hub, project_root: string): void {
  const { state, error, outcome } = findProgress(indexPlaceOf(project_root).progress) ?? {}
  if (state === 'failed') log.warn({ project_root, fault: error }, 'project not indexed')
  for (const warning of outcome?.warnings ?? []) log.warn({ project_root }, warning)
}
