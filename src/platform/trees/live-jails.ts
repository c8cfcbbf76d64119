import { type MountEntry, mountIdOf } from '../guard/kernel/mounts.ts'
import { mountsOf, processesWithOtherMounts } from '../sandbox/mount-table.ts'
import { isWithin } from '../sandbox/places.ts'
import { SANDBOX_HOME } from '../sandbox/system-folders.ts'

/**
 * Whether what is left of a jail can still write in a folder, in one inside it or one around it. The lock of a hub that
 * was killed ends a moment before the kernel has ended what it had started.
 */
export function isJailAlive(path: string, fd: number): boolean {
  const disk = diskOf(fd)
  return processesWithOtherMounts().some((pid) => {
    const mounts = mountsOf(pid)
    // Containers and services of the system have tables of their own too, with the whole machine in them.
    return mounts.some(({ at }) => at === SANDBOX_HOME) && mounts.some((mount) => reaches(mount, path, disk))
  })
}

function reaches({ at, disk, is_writable }: MountEntry, path: string, own_disk: string | undefined): boolean {
  if (!is_writable) return false
  // A jail has a /tmp of its own, which holds nothing of what lies below the machine's.
  return isWithin(path, at) || (isWithin(at, path) && disk === own_disk)
}

function diskOf(fd: number): string | undefined {
  const mount_id = mountIdOf(fd)
  return mountsOf('self').find(({ id }) => id === mount_id)?.disk
}
