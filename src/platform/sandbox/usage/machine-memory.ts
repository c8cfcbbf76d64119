import { readFileSync } from 'node:fs'
import { MACHINE_RESERVE_MAX_BYTES, MACHINE_RESERVE_SHARE } from '../sandbox-limits.ts'

export interface MachineMemory {
  /** All that lies in folders in memory, memfds and shared segments, of anybody, with what is swapped out. */
  readonly shared_bytes: number
  /** What the kernel has for itself and cannot give back: buffers of sockets and pipes are most of it. */
  readonly kernel_bytes: number
  /** Whether so little is free that the kernel will soon end programs of its own choice. */
  readonly is_short: boolean
}

/** What is told of the machine's memory and is none of the kernel's own. */
const NOT_ITS_OWN = [
  'MemFree',
  'Buffers',
  'Cached',
  'SwapCached',
  'AnonPages',
  'SReclaimable',
  'PageTables',
  'KernelStack',
  'Hugetlb',
]

/** What the kernel tells of the whole machine's memory. */
export function readMachineMemory(text = readFileSync('/proc/meminfo', 'latin1')): MachineMemory {
  const fields = new Map(
    [...text.matchAll(/^(\w+):\s+(\d+) kB$/gm)].map(([, name, value]) => [name, Number(value)]),
  )
  const bytes = (name: string) => (fields.get(name) ?? 0) * 1024
  const reserve = Math.min(MACHINE_RESERVE_MAX_BYTES, bytes('MemTotal') * MACHINE_RESERVE_SHARE)
  return {
    shared_bytes: bytes('Shmem') + bytes('SwapTotal') - bytes('SwapFree'),
    kernel_bytes: NOT_ITS_OWN.reduce((left, name) => left - bytes(name), bytes('MemTotal')),
    is_short: fields.has('MemAvailable') && bytes('MemAvailable') < reserve,
  }
}
