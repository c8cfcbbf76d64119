import { hash } from 'node:crypto'
import { readPlainFile } from '../../policy/watched-file.ts'
import { replaceText } from './index-place.ts'

/** A manifest of more is not one of ours: a million paths are about this long. */
const MANIFEST_MAX_BYTES = 256 * 1_048_576
const SHA256 = /^[0-9a-f]{64}$/
const PREFIX = '  '

/** What a manifest file says; `broken` tells why it cannot be believed. */
export type ManifestState =
  | { readonly kind: 'missing' }
  | { readonly kind: 'broken'; readonly reason: string }
  | { readonly kind: 'present'; readonly text: string; readonly revision: string }

/** Reads the file without looking into it: whoever knows its revision need not parse it. */
export function readManifest(path: string): ManifestState {
  try {
    const { text } = readPlainFile(path, MANIFEST_MAX_BYTES)
    return { kind: 'present', text, revision: revisionOf(text) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { kind: 'missing' }
    return { kind: 'broken', reason: (error as Error).message }
  }
}

/** Path to sha256; undefined for a text that is no manifest. */
export function parseManifest(text: string): Map<string, string> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    const entries = Object.entries(value)
    const isWhole = entries.every(([path, sha256]) => path !== '' && isSha256(sha256))
    return isWhole ? new Map(entries as [string, string][]) : undefined
  } catch {
    return undefined
  }
}

/** One line for each path, so that one path can be changed without the others. */
export function renderManifest(documents: ReadonlyMap<string, string>): string {
  const paths = [...documents.keys()].toSorted()
  return joinLines(paths.map((path) => renderLine(path, documents.get(path) as string)))
}

/** Puts the text in the file's place; answers its revision. */
export function writeManifest(path: string, text: string): string {
  replaceText(path, text)
  return revisionOf(text)
}

/** The manifest with some paths changed, added (at the end) or taken out (`undefined`). The text must be our own. */
export function patchManifest(text: string, changes: ReadonlyMap<string, string | undefined>): string {
  let patched = text
  for (const [path, sha256] of changes) patched = patchLine(patched, path, sha256)
  return patched
}

function patchLine(text: string, path: string, sha256: string | undefined): string {
  const start = text.indexOf(`\n${PREFIX}${JSON.stringify(path)}: `)
  if (start < 0) return sha256 === undefined ? text : addLine(text, renderLine(path, sha256))
  const end = text.indexOf('\n', start + 1)
  const comma = text[end - 1] === ',' ? ',' : ''
  if (sha256 !== undefined)
    return `${text.slice(0, start + 1)}${renderLine(path, sha256)}${comma}${text.slice(end)}`
  const before = comma === '' && text[start - 1] === ',' ? start - 1 : start
  return text.slice(0, before) + text.slice(end)
}

function addLine(text: string, line: string): string {
  const end = text.lastIndexOf('\n}')
  const isEmpty = end <= 1
  return `${text.slice(0, end)}${isEmpty ? '' : ','}\n${line}${text.slice(end)}`
}

function joinLines(lines: readonly string[]): string {
  return lines.length === 0 ? '{\n}\n' : `{\n${lines.join(',\n')}\n}\n`
}

function renderLine(path: string, sha256: string): string {
  return `${PREFIX}${JSON.stringify(path)}: "${sha256}"`
}

function isSha256(value: unknown): boolean {
  return typeof value === 'string' && SHA256.test(value)
}

function revisionOf(text: string): string {
  return hash('sha256', text)
}
