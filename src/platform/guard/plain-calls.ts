import { type BigIntStats, lstatSync, openSync, readlinkSync, renameSync, unlinkSync } from 'node:fs'
import { at, itself } from './descriptors.ts'
import type { FolderCalls, NamedThing } from './folder-calls.ts'

/** Node's own calls: they know no held folders, but the kernel shows each as a path. */
export const plainCalls: FolderCalls = {
  open: (folder_fd, name, flags, mode) => openSync(at(folder_fd, name), flags, mode),
  openHeld: (fd, flags) => openSync(itself(fd), flags),
  find(folder_fd, name) {
    const stat = lstatSync(at(folder_fd, name), { bigint: true, throwIfNoEntry: false })
    return stat && describeStat(stat)
  },
  findPath(path) {
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    return stat && describeStat(stat)
  },
  rename: (folder_fd, from, to) => renameSync(at(folder_fd, from), at(folder_fd, to)),
  unlink: (folder_fd, name) => unlinkSync(at(folder_fd, name)),
  pathOf: (fd) => readlinkSync(itself(fd)),
}

function describeStat(stat: BigIntStats): NamedThing {
  const { dev, ino, birthtimeNs, mtimeMs } = stat
  return { dev, ino, born_ns: birthtimeNs, mtime_ms: Number(mtimeMs), is_folder: stat.isDirectory() }
}
