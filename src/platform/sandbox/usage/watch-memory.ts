import { performance } from 'node:perf_hooks'
import { CLOSE_LOOK_PAUSE_FACTOR, SMALL_COMMAND_BYTES } from '../sandbox-limits.ts'
import { type JailProcessUsage, type JailView, readQuietly } from './jail-processes.ts'
import { kernelBuffersAtMost } from './kernel-buffers.ts'
import { type MachineMemory, readMachineMemory } from './machine-memory.ts'
import { lookAtMemoryFolders, type MemoryFolders } from './memory-folders.ts'
import { countSegments } from './shared-segments.ts'

/** Answers whether a jail takes more memory than it may, each time it is asked. */
export type MemoryWatch = { isExceeded(view: JailView): boolean; close(): void }

/** So much of the limit may grow unseen before it is asked who uses what can hide. */
const SUSPECT_SHARE = 1 / 8

/** What the kernel has for itself goes up and down by so much anyway. */
const KERNEL_SWING_BYTES = 64 * 1024 * 1024

/** How long the kernel may take to free what was on its way in sockets. */
const FREED_WITHIN_MS = 10_000

interface Counted {
  /** Of its own, for comparing commands when the machine runs short. */
  total_bytes: number
  /** Of what the machine tells as shared memory: no other command is charged with it. */
  shared_bytes: number
  /** Of what the kernel took for itself. */
  kernel_bytes: number
}
const commands = new Set<Counted>()
/** What the machine shared before a command that could hide memory: the kernel frees that a while after its end. */
let before_hiding = { shared_bytes: Infinity, until_ms: 0 }
/** The same of what the kernel held for sockets and pipes. */
let before_buffers = { kernel_bytes: Infinity, until_ms: 0 }

/**
 * Counts the memory of a jail. A look is cheap while even the most it could be, all shared memory of the machine
 * included, is within the limit. Only above that its pages are counted, each once whoever has it.
 */
export function watchMemory(limit_bytes: number): MemoryWatch {
  let shared_before = sharedBefore()
  let kernel_before = kernelBefore()
  const counted: Counted = { total_bytes: 0, shared_bytes: 0, kernel_bytes: 0 }
  commands.add(counted)
  let may_hide = false
  let next_ms = 0
  let [bound_then, total_then] = [0, 0]

  function countClosely(view: JailView, folders: MemoryFolders, machine: MachineMemory): number {
    const segments = countSegments(view.processes.map(({ folder }) => folder))
    may_hide ||= segments.can_hide
    const seen_bytes = folders.content_bytes + segments.bytes
    // What grew on the machine and is seen nowhere is charged to whoever was seen to use what can hide.
    const unseen_bytes = machine.shared_bytes - shared_before - seen_bytes - ofOthers(counted, 'shared_bytes')
    counted.shared_bytes = seen_bytes
    const own = view.processes.reduce((sum, process) => sum + ownBytes(process), 0)
    const hidden_bytes = may_hide ? Math.max(0, unseen_bytes) : 0
    return own + folders.entry_bytes + seen_bytes + hidden_bytes + countBuffers(view, machine)
  }

  // The kernel tells only what it took for everybody, so of that a jail is charged with no more than it can have.
  function countBuffers(view: JailView, machine: MachineMemory): number {
    const grown_bytes = machine.kernel_bytes - kernel_before - ofOthers(counted, 'kernel_bytes')
    const unusual_bytes = Math.max(0, grown_bytes - KERNEL_SWING_BYTES)
    counted.kernel_bytes = unusual_bytes > 0 ? Math.min(unusual_bytes, kernelBuffersAtMost(view)) : 0
    return counted.kernel_bytes
  }

  return {
    isExceeded(view) {
      const machine = readMachineMemory()
      const folders = lookAtMemoryFolders(view.root)
      // What somebody frees meanwhile must not make room for more.
      shared_before = Math.min(shared_before, machine.shared_bytes)
      kernel_before = Math.min(kernel_before, machine.kernel_bytes)
      const copied = sumOf(view, ({ private_bytes, table_bytes }) => private_bytes + table_bytes)
      const grown_bytes = machine.kernel_bytes - kernel_before
      const bound = copied + folders.entry_bytes + machine.shared_bytes + grown_bytes
      counted.shared_bytes = folders.content_bytes + sumOf(view, ({ shared_bytes }) => shared_bytes)
      const buffers = machine.is_short ? countBuffers(view, machine) : counted.kernel_bytes
      counted.total_bytes = copied + counted.shared_bytes + buffers
      if (machine.is_short && isLargest(counted)) return true
      const unseen_bytes = machine.shared_bytes - shared_before - counted.shared_bytes
      const is_suspect = !may_hide && unseen_bytes > limit_bytes * SUSPECT_SHARE
      if (bound <= limit_bytes && !is_suspect) return false
      const now_ms = performance.now()
      const most = total_then + Math.max(0, bound - bound_then)
      if (now_ms < next_ms && most <= limit_bytes) return false
      const total = countClosely(view, folders, machine)
      ;[bound_then, total_then] = [bound, total]
      next_ms = performance.now() + (performance.now() - now_ms) * CLOSE_LOOK_PAUSE_FACTOR
      return total > limit_bytes
    },
    close() {
      commands.delete(counted)
      if (may_hide)
        before_hiding = { shared_bytes: shared_before, until_ms: performance.now() + FREED_WITHIN_MS }
      if (counted.kernel_bytes > 0)
        before_buffers = { kernel_bytes: kernel_before, until_ms: performance.now() + FREED_WITHIN_MS }
    },
  }
}

function sharedBefore(): number {
  const now_bytes = readMachineMemory().shared_bytes
  return performance.now() < before_hiding.until_ms
    ? Math.min(now_bytes, before_hiding.shared_bytes)
    : now_bytes
}

function kernelBefore(): number {
  const now_bytes = readMachineMemory().kernel_bytes
  return performance.now() < before_buffers.until_ms
    ? Math.min(now_bytes, before_buffers.kernel_bytes)
    : now_bytes
}

// A page that several copies of a process still share is told to each in part.
function ownBytes({ folder, private_bytes, table_bytes }: JailProcessUsage): number {
  const rollup = readQuietly(`${folder}/smaps_rollup`)
  const anonymous = /^Pss_Anon:\s+(\d+) kB$/m.exec(rollup ?? '')?.[1]
  const swapped = /^SwapPss:\s+(\d+) kB$/m.exec(rollup ?? '')?.[1]
  if (anonymous === undefined) return private_bytes + table_bytes
  return (Number(anonymous) + Number(swapped ?? 0)) * 1024 + table_bytes
}

function sumOf(view: JailView, bytesOf: (process: JailProcessUsage) => number): number {
  return view.processes.reduce((sum, process) => sum + bytesOf(process), 0)
}

function ofOthers(mine: Counted, what: 'shared_bytes' | 'kernel_bytes'): number {
  let sum = 0
  for (const other of commands) if (other !== mine) sum += other[what]
  return sum
}

function isLargest(mine: Counted): boolean {
  if (mine.total_bytes < SMALL_COMMAND_BYTES) return false
  return [...commands].every(({ total_bytes }) => total_bytes <= mine.total_bytes)
}
