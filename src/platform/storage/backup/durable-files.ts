import { chmodSync, closeSync, copyFileSync, fsyncSync, openSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolders, syncPath } from '../../basics/private-file.ts'
import { writeWhole } from '../../basics/write-whole.ts'

/** Writes a new private file and waits until it is on the disk. */
export function writePrivateFile(path: string, content: string): void {
  ensureFolder(dirname(path))
  const file = openSync(path, 'wx', 0o600)
  try {
    writeWhole(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Copies a file to a new private one and waits until it is on the disk. */
export function copyPrivateFile(from: string, to: string): void {
  ensureFolder(dirname(to))
  copyFileSync(from, to)
  chmodSync(to, 0o600)
  syncPath(to)
}

/** Makes a folder, and those above it, that only its owner may enter. */
export function ensureFolder(path: string): void {
  makeFolders(path, 0o700)
}

/** Waits until the entries of a folder and of all folders in it are on the disk. */
export function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) syncTree(join(folder, entry.name))
  syncPath(folder)
}
