import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'

export interface SmallDisk {
  folder: string
  /** Fills whatever is left, to the last byte. */
  fill(): void
  /** Gives the filled space back. */
  free(): void
  remount(mode: 'ro' | 'rw'): void
}

/** A file system of its own for the running test. Without the right to mount, the test fails and says so. */
export function smallDisk(size: string): SmallDisk {
  const folder = join(temporaryFolder(), 'disk')
  mkdirSync(folder)
  mount('-t', 'tmpfs', '-o', `size=${size}`, 'knowtation-test', folder)
  onTestFinished(() => void execFileSync('umount', ['-l', folder]))
  const ballast = join(folder, 'ballast')
  return {
    folder,
    fill: () => fillDisk(ballast),
    free: () => rmSync(ballast, { force: true }),
    remount: (mode) => mount('-o', `remount,${mode}`, folder),
  }
}

function mount(...args: string[]): void {
  try {
    execFileSync('mount', args, { stdio: 'pipe' })
  } catch (cause) {
    throw new Error(
      'This test mounts a small file system and may not: run it as root (or in a user namespace).',
      {
        cause,
      },
    )
  }
}

function fillDisk(path: string): void {
  writeFileSync(path, '')
  const file = openSync(path, 'a')
  try {
    for (let block = Buffer.alloc(65_536, 1); block.length > 0; ) {
      try {
        writeSync(file, block)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        block = block.subarray(0, block.length >> 1)
      }
    }
  } finally {
    closeSync(file)
  }
}
