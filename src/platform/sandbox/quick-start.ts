import { closeSync, openSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { isMainThread } from 'node:worker_threads'
import { openCLibrary } from '../basics/c-library.ts'
import type { Descriptor, JailProcess, ProcessStart } from './jail-process.ts'
import { QuickChild, type WaitFor } from './quick-child.ts'

// What the headers of the C library say.
const O_CLOEXEC = 0o2000000
const SET_SIGNAL_MASK = 0x08
const SET_SIGNAL_DEFAULTS = 0x04
const NEW_SESSION = 0x80
const SIGNAL_SET_BYTES = 128
/** More than any C library has for what a child does first, or for what it is like. */
const ROOM_BYTES = 1_024
/** What an empty pipe takes at once, however little room the machine has left for pipes. */
const PIPE_BYTES = 4_096

/** Starts a program as the leader of a new session, in `/`, without any variable or other descriptor. */
export type QuickStart = (start: ProcessStart) => JailProcess | undefined

let loaded: { readonly start: QuickStart | undefined } | undefined

/**
 * A start of programs that does not copy this process first. Node forks: of a hub with much memory that takes longer
 * than all that a small program does then, and each page that is written afterwards is paid for again. Nothing where
 * it cannot be had; then, and where it fails, Node starts the program or says why not.
 */
export function loadQuickStart(): QuickStart | undefined {
  loaded ??= { start: tryLoad() }
  return loaded.start
}

function tryLoad(): QuickStart | undefined {
  // A thread hears of no child's end.
  if (!isMainThread || process.platform !== 'linux') return undefined
  try {
    return openStart(declareCalls())
  } catch {
    return undefined
  }
}

function declareCalls() {
  const library = openCLibrary()
  return {
    pipe: library.func('int pipe2(_Out_ int *ends, int flags)'),
    spawn: library.func(
      'int posix_spawn(_Out_ int *pid, const char *path, void *actions, void *nature, const char **args, const char **env)',
    ),
    initActions: library.func('int posix_spawn_file_actions_init(void *actions)'),
    destroyActions: library.func('int posix_spawn_file_actions_destroy(void *actions)'),
    addDup: library.func('int posix_spawn_file_actions_adddup2(void *actions, int fd, int as)'),
    addCloseFrom: library.func('int posix_spawn_file_actions_addclosefrom_np(void *actions, int fd)'),
    addFolder: library.func('int posix_spawn_file_actions_addchdir_np(void *actions, const char *path)'),
    initNature: library.func('int posix_spawnattr_init(void *nature)'),
    setFlags: library.func('int posix_spawnattr_setflags(void *nature, short flags)'),
    setDefaults: library.func('int posix_spawnattr_setsigdefault(void *nature, void *signals)'),
    setMask: library.func('int posix_spawnattr_setsigmask(void *nature, void *signals)'),
    waitFor: library.func('int waitpid(int pid, _Out_ int *status, int options)') as WaitFor,
  } as const
}

type Calls = ReturnType<typeof declareCalls>

function openStart(c: Calls): QuickStart {
  const nature = Buffer.alloc(ROOM_BYTES)
  const [every_signal, no_signal] = [Buffer.alloc(SIGNAL_SET_BYTES, 0xff), Buffer.alloc(SIGNAL_SET_BYTES)]
  succeed(c.initNature(nature))
  succeed(c.setDefaults(nature, every_signal))
  succeed(c.setMask(nature, no_signal))
  succeed(c.setFlags(nature, SET_SIGNAL_DEFAULTS | SET_SIGNAL_MASK | NEW_SESSION))
  return (start) => {
    // A text ends for the C library where a NUL is in it; Node refuses such an argument.
    if ([start.path, ...start.args].some((text) => text.includes('\0'))) return undefined
    const ends = openEnds(c, start.descriptors)
    if (ends === undefined) return undefined
    const pid = spawnWith(c, nature, start, ends.theirs)
    closeAll(new Set(ends.theirs))
    if (pid !== undefined) return new QuickChild(pid, ends.ours.map(streamOf), c.waitFor)
    closeAll(fdsOf(ends.ours))
    return undefined
  }
}

/** Our end of a pipe, with what is still to be written to it. */
interface OurEnd {
  readonly fd: number
  readonly content: string | Buffer | undefined
}

interface Ends {
  /** By the child's descriptor; all that are empty are one. */
  readonly theirs: number[]
  readonly ours: (OurEnd | undefined)[]
}

/** Opens what the child is to have; nothing where there is no descriptor left for it. */
function openEnds(c: Calls, descriptors: readonly Descriptor[]): Ends | undefined {
  const ends: Ends = { theirs: [], ours: [] }
  let empty_fd: number | undefined
  try {
    for (const descriptor of descriptors) {
      if (descriptor === 'empty') {
        empty_fd ??= openSync('/dev/null', 'r')
        ends.theirs.push(empty_fd)
        ends.ours.push(undefined)
      } else openPipe(c, descriptor, ends)
    }
    return ends
  } catch {
    closeAll(new Set([...ends.theirs, ...fdsOf(ends.ours)]))
    return undefined
  }
}

function openPipe(c: Calls, descriptor: Exclude<Descriptor, 'empty'>, { theirs, ours }: Ends): void {
  const pair = [-1, -1]
  succeed(c.pipe(pair, O_CLOEXEC))
  const [reading, writing] = pair as [number, number]
  if (descriptor === 'output') {
    theirs.push(writing)
    ours.push({ fd: reading, content: undefined })
  } else {
    theirs.push(reading)
    ours.push(giveContent(writing, descriptor.content))
  }
}

// What an empty pipe takes is there before who reads it, and needs no stream.
function giveContent(fd: number, content: string | Buffer): OurEnd | undefined {
  if (Buffer.byteLength(content) > PIPE_BYTES) return { fd, content }
  try {
    writeSync(fd, content as string)
  } finally {
    closeSync(fd)
  }
  return undefined
}

function streamOf(end: OurEnd | undefined): Socket | null {
  if (end === undefined) return null
  const { fd, content } = end
  const stream = new Socket({ fd, readable: content === undefined, writable: content !== undefined })
  if (content !== undefined) stream.end(content)
  return stream
}

/** The number of the started process; nothing where it could not be started. */
function spawnWith(
  c: Calls,
  nature: Buffer,
  { path, args }: ProcessStart,
  fds: readonly number[],
): number | undefined {
  const actions = Buffer.alloc(ROOM_BYTES)
  if (c.initActions(actions)) return undefined
  try {
    // First all out of the way of each other, then each to its place.
    const above = Math.max(fds.length, ...fds) + 1
    fds.forEach((fd, place) => succeed(c.addDup(actions, fd, above + place)))
    fds.forEach((_, place) => succeed(c.addDup(actions, above + place, place)))
    succeed(c.addCloseFrom(actions, fds.length))
    succeed(c.addFolder(actions, '/'))
    const pid = [0]
    return c.spawn(pid, path, actions, nature, [path, ...args, null], [null]) ? undefined : pid[0]
  } catch {
    return undefined
  } finally {
    c.destroyActions(actions)
  }
}

function succeed(failure: number): void {
  if (failure !== 0) throw new Error('a call of the C library failed')
}

function fdsOf(ends: Ends['ours']): number[] {
  return ends.flatMap((end) => end?.fd ?? [])
}

function closeAll(fds: Iterable<number>): void {
  for (const fd of fds) closeSync(fd)
}
