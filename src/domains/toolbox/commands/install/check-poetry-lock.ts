import { LOCKFILE_LINES_MAX } from '../command-limits.ts'
import { lockInvalid, lockRefused } from './lock-refusal.ts'

const TABLES = /^\[(?:package\.dependencies(?:\.[\w.-]+)?|package\.extras|extras|metadata)\]$/
const PACKAGE_KEYS =
  /^(?:name|version|description|category|optional|python-versions|groups|markers|develop) = /
const FILE = /^ {4}\{file = "[^"\\]+", hash = "sha256:[0-9a-f]{64}"\},?$/

interface Reading {
  readonly file: string
  name: string
  files: number
  place: 'nowhere' | 'package' | 'files' | 'table'
}

/**
 * Checks that every package of a poetry.lock comes from PyPI with checksums. Packages from elsewhere have a
 * `[package.source]`, which is refused. Only the form that poetry itself writes is read.
 */
export function checkPoetryLock(file: string, bytes: Buffer): Buffer {
  const lines = bytes.toString('utf8').split(/\r?\n/)
  if (lines.length > LOCKFILE_LINES_MAX) throw lockInvalid(file, `has over ${LOCKFILE_LINES_MAX} lines`)
  const reading: Reading = { file, name: '', files: 0, place: 'nowhere' }
  for (const line of lines) readLine(reading, line)
  finishPackage(reading)
  return bytes
}

function readLine(reading: Reading, line: string): void {
  if (line === '' || line.startsWith('#')) return
  if (line === '[[package]]') return beginPackage(reading)
  if (line === '[package.source]')
    throw lockRefused(reading.file, reading.name, 'comes from elsewhere than PyPI')
  if (line.startsWith('[')) return beginTable(reading, line)
  if (reading.place === 'package') return readField(reading, line)
  if (reading.place === 'files') return readFile(reading, line)
  // What poetry writes for a project without dependencies.
  if (reading.place === 'nowhere' && line !== 'package = []') throw unknown(reading, line)
}

function beginPackage(reading: Reading): void {
  finishPackage(reading)
  reading.place = 'package'
  reading.name = ''
  reading.files = 0
}

function beginTable(reading: Reading, line: string): void {
  if (reading.place === 'files' || !TABLES.test(line)) throw unknown(reading, line)
  finishPackage(reading)
  reading.place = 'table'
}

function readField(reading: Reading, line: string): void {
  if (line === 'files = [') reading.place = 'files'
  else if (!PACKAGE_KEYS.test(line) || /"""|'''/.test(line)) throw unknown(reading, line)
  else reading.name ||= /^name = "([^"\\]+)"$/.exec(line)?.[1] ?? ''
}

function readFile(reading: Reading, line: string): void {
  if (line === ']') reading.place = 'package'
  else if (FILE.test(line)) reading.files++
  else throw lockRefused(reading.file, reading.name, 'has a file without a sha256')
}

function finishPackage({ file, name, files, place }: Reading): void {
  if (place === 'files') throw lockInvalid(file, 'ends in the middle of a list')
  if (place === 'package' && files === 0) throw lockRefused(file, name, 'has no checksums')
}

function unknown({ file }: Reading, line: string): Error {
  return lockInvalid(file, `has a line that poetry does not write: ${line.slice(0, 80)}`)
}
