import { readdirSync, readFileSync, statSync } from 'node:fs'

/** What the kernel says of a process without looking at its pages. */
export interface JailProcessUsage {
  /** Where more is told of it. */
  readonly folder: string
  readonly threads: number
  /** Nobody else's, or a copy that is shared until somebody writes; with what is swapped out. */
  readonly private_bytes: number
  /** Tables and huge pages, which are never shared by copying. */
  readonly table_bytes: number
  /** Mapped from a folder in memory, a memfd, a System V segment, or shared with children. */
  readonly shared_bytes: number
}

/** A jail as it is seen from outside: its own list of processes, and its own root. */
export interface JailView {
  readonly root: string
  readonly processes: readonly JailProcessUsage[]
}

/**
 * Looks at the jail of a process. Nothing until it has a root and a /proc of its own, which cannot be changed
 * from inside, or when it has ended.
 */
export function viewJail(inner_pid: number): JailView | undefined {
  const root = `/proc/${inner_pid}/root`
  const proc = `${root}/proc`
  if (isOfMachine(proc)) return undefined
  const names = namesIn(proc).filter((name) => /^\d+$/.test(name))
  const processes = names.flatMap((name) => processAt(`${proc}/${name}`) ?? [])
  return { root, processes }
}

// Until the jail has a root of its own, its first process still sees the list of all processes.
function isOfMachine(proc: string): boolean {
  try {
    return statSync(proc).dev === statSync('/proc').dev
  } catch {
    return true // There is none yet, or it has ended: nothing to count either way.
  }
}

function processAt(folder: string): JailProcessUsage | undefined {
  const leader = statusAt(folder)
  if (leader === undefined || leader.has_memory || leader.threads <= 1) return leader
  // The first thread has ended and tells nothing more; the others have the memory all the same.
  for (const task of namesIn(`${folder}/task`)) {
    const one = statusAt(`${folder}/task/${task}`)
    if (one?.has_memory) return one
  }
  return leader
}

function statusAt(folder: string): (JailProcessUsage & { has_memory: boolean }) | undefined {
  const status = readQuietly(`${folder}/status`)
  if (status === undefined) return undefined
  const fields = new Map(
    [...status.matchAll(/^(\w+):\s+(\d+)/gm)].map(([, name, value]) => [name, Number(value)]),
  )
  const bytes = (...names: string[]) => names.reduce((sum, name) => sum + (fields.get(name) ?? 0) * 1024, 0)
  return {
    folder,
    threads: fields.get('Threads') ?? 1,
    private_bytes: bytes('RssAnon', 'VmSwap'),
    table_bytes: bytes('VmPTE', 'HugetlbPages'),
    shared_bytes: bytes('RssShmem'),
    has_memory: fields.has('RssAnon'),
  }
}

/** The names in a folder of /proc; none where it has ended between two looks. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** A file of /proc; undefined where its process has ended between two looks. */
export function readQuietly(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}
