import { statfsSync, statSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import type { CommandLimits } from '../sandbox.ts'
import { DISK_ALLOWANCE_BYTES, DISK_EVERY_MS, DISK_FILES, DISK_PAUSE_FACTOR } from '../sandbox-limits.ts'
import { changedContent } from './changed-content.ts'
import { viewJail } from './jail-processes.ts'

/** The kernel's clock for files goes in steps. */
const CLOCK_STEP_MS = 20

/** A file system that a command can write to, and how much of it was in use, at the least. */
interface Disk {
  readonly path: string
  readonly device: number
  used_bytes: number
  used_files: number
}

/** What a file system grew by, where that is more than the command may add to it. */
interface Suspicion {
  readonly growth_bytes: number
  readonly allowed_bytes: number
  readonly allowed_files: number
}

/**
 * Watches how the folders that a command can write grow. As long as their whole file system has not grown by the
 * limit, nothing else is looked at; above that, what changed in the folders is added up, so that no command is
 * stopped for what others write.
 */
export function watchDisk(
  innerPid: () => number | undefined,
  limits: CommandLimits,
  folders: readonly string[],
  exceeded: (limit: 'disk') => void,
): () => void {
  if (limits.disk_bytes === undefined || folders.length === 0) return () => {}
  const disks = disksOf(folders)
  const since_ms = Date.now() - CLOCK_STEP_MS
  let timer: NodeJS.Timeout | undefined
  let is_over = false
  const look = async (): Promise<void> => {
    const began_ms = performance.now()
    const suspicion = suspicionOf(disks, limits)
    const pid = innerPid()
    if (pid !== undefined && suspicion !== undefined) {
      const is_charged = await isCharged(pid, folders, disks, since_ms, suspicion)
      if (is_charged && !is_over) exceeded('disk')
    }
    if (is_over) return
    const took_ms = performance.now() - began_ms
    timer = setTimeout(() => void look(), Math.max(DISK_EVERY_MS, took_ms * DISK_PAUSE_FACTOR))
  }
  timer = setTimeout(() => void look(), DISK_EVERY_MS)
  return () => {
    is_over = true
    clearTimeout(timer)
  }
}

function disksOf(folders: readonly string[]): Disk[] {
  const disks = new Map<number, Disk>()
  for (const path of folders) {
    const device = statSync(path).dev
    const { used_bytes, used_files } = useOf(path)
    disks.set(device, { path, device, used_bytes, used_files })
  }
  return [...disks.values()]
}

function useOf(path: string) {
  const { blocks, bfree, bavail, bsize, files, ffree } = statfsSync(path)
  return { used_bytes: (blocks - bfree) * bsize, used_files: files - ffree, free_bytes: bavail * bsize }
}

function suspicionOf(disks: readonly Disk[], limits: CommandLimits): Suspicion | undefined {
  const { disk_bytes = Infinity, disk_files = DISK_FILES, disk_reserve_bytes = 0 } = limits
  for (const disk of disks) {
    const { used_bytes, used_files, free_bytes } = tryUseOf(disk)
    // What somebody frees meanwhile must not make room for more.
    disk.used_bytes = Math.min(disk.used_bytes, used_bytes)
    disk.used_files = Math.min(disk.used_files, used_files)
    const is_short = free_bytes < disk_reserve_bytes
    const allowed_bytes = is_short ? Math.min(disk_bytes, DISK_ALLOWANCE_BYTES) : disk_bytes
    const growth_bytes = used_bytes - disk.used_bytes
    if (growth_bytes > allowed_bytes || used_files - disk.used_files > disk_files)
      return { growth_bytes, allowed_bytes, allowed_files: disk_files }
  }
  return undefined
}

function tryUseOf(disk: Disk): ReturnType<typeof useOf> {
  try {
    return useOf(disk.path)
  } catch {
    return { ...disk, free_bytes: Infinity } // The folder is gone, and its content with it.
  }
}

async function isCharged(
  inner_pid: number,
  folders: readonly string[],
  disks: readonly Disk[],
  since_ms: number,
  { growth_bytes, allowed_bytes, allowed_files }: Suspicion,
): Promise<boolean> {
  const processes = viewJail(inner_pid)?.processes ?? []
  const devices = new Set(disks.map(({ device }) => device))
  const isEnough = ({ bytes, files }: { bytes: number; files: number }) =>
    bytes > allowed_bytes || files > allowed_files
  const places = processes.map(({ folder }) => folder)
  const content = await changedContent(folders, places, { since_ms, devices, isEnough })
  return isEnough(content) || (content.has_hidden && growth_bytes > allowed_bytes)
}
