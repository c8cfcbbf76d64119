import { randomBytes } from 'node:crypto'
import { closeSync, lstatSync, readlinkSync, renameSync, symlinkSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { openFolder } from './placeholder.ts'

/**
 * Puts a symbolic link back after a run. No mount can cover a link itself, only what it leads to, so a
 * command could put something else under its name.
 */
export function keepLink(path: string): () => void {
  const folder_fd = openFolder(dirname(path))
  const name = `/proc/self/fd/${folder_fd}/${basename(path)}`
  const target = readlinkSync(name)
  return () => {
    try {
      if (isLinkTo(name, target)) return
      // Moved aside rather than removed: removing a folder by name could be led astray.
      if (lstatSync(name, { throwIfNoEntry: false }))
        renameSync(name, `${name}.aside-${randomBytes(4).toString('hex')}`)
      symlinkSync(target, name)
    } finally {
      closeSync(folder_fd)
    }
  }
}

function isLinkTo(name: string, target: string): boolean {
  const stat = lstatSync(name, { throwIfNoEntry: false })
  return stat?.isSymbolicLink() === true && readlinkSync(name) === target
}
