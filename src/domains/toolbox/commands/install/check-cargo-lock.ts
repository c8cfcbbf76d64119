import { LOCKFILE_LINES_MAX } from '../command-limits.ts'
import { lockInvalid, lockRefused } from './lock-refusal.ts'
import { PUBLIC_CRATE_SOURCES } from './public-registries.ts'

const FIELD = /^(name|version|source|checksum) = "([^"\\]*)"$/

interface Crate {
  name?: string
  source?: string
  checksum?: string
}

/**
 * Checks that every crate of a Cargo.lock is of the project itself or of the public registry, with its checksum. Only
 * the form that cargo itself writes is read: any other line might say something that cargo understands and
 * this check does not.
 */
export function checkCargoLock(file: string, bytes: Buffer): Buffer {
  const crates: Crate[] = []
  let crate: Crate | undefined
  for (const line of linesOf(file, bytes)) {
    const [, key, value] = FIELD.exec(line) ?? []
    if (line === '[[package]]') {
      crate = {}
      crates.push(crate)
    } else if (key !== undefined && crate !== undefined) crate[key as keyof Crate] = value ?? ''
    else if (!isHarmless(line))
      throw lockInvalid(file, `has a line that cargo does not write: ${line.slice(0, 80)}`)
  }
  for (const found of crates) checkCrate(file, found)
  return bytes
}

function linesOf(file: string, bytes: Buffer): string[] {
  const lines = bytes.toString('utf8').split(/\r?\n/)
  if (lines.length > LOCKFILE_LINES_MAX) throw lockInvalid(file, `has over ${LOCKFILE_LINES_MAX} lines`)
  return lines
}

function isHarmless(line: string): boolean {
  return /^(?:|#.*|version = \d+|dependencies = \[|\]| "[^"\\]*",)$/.test(line)
}

function checkCrate(file: string, { name = '', source, checksum }: Crate): void {
  if (source === undefined) return
  if (!PUBLIC_CRATE_SOURCES.includes(source))
    throw lockRefused(file, name, `comes from ${source.split(/[?#]/)[0]}, not from the public registry`)
  if (!/^[0-9a-f]{64}$/.test(checksum ?? '')) throw lockRefused(file, name, 'has no checksum')
}
