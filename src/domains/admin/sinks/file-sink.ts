import { closeSync, fdatasyncSync, fstatSync, openSync, readSync, renameSync, rmSync } from 'node:fs'
import { writeWhole } from '../../../platform/basics/write-whole.ts'

export interface FilePlace {
  readonly path: string
  readonly max_megabytes: number
  /** So many full files are kept: `path.1` is the youngest. */
  readonly keep: number
}

/** Adds lines to the file and waits until they are on the disk. A full file is laid aside first. */
export function appendLines({ path, max_megabytes, keep }: FilePlace, lines: readonly string[]): void {
  let file = openSync(path, 'a+', 0o600)
  try {
    if (fstatSync(file).size >= max_megabytes * 1_000_000) {
      closeSync(file)
      layAside(path, keep)
      file = openSync(path, 'a+', 0o600)
    }
    // A line that a killed hub has torn stays one of its own; it is told once more.
    writeWhole(file, `${isTorn(file) ? '\n' : ''}${lines.map((line) => `${line}\n`).join('')}`)
    fdatasyncSync(file)
  } finally {
    closeSync(file)
  }
}

function layAside(path: string, keep: number): void {
  rmSync(`${path}.${keep}`, { force: true })
  for (let number = keep - 1; number >= 0; number--) {
    const from = number === 0 ? path : `${path}.${number}`
    try {
      renameSync(from, `${path}.${number + 1}`)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

function isTorn(file: number): boolean {
  const { size } = fstatSync(file)
  const last = Buffer.alloc(1)
  return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last.toString() !== '\n'
}
