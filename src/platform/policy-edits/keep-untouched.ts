import { isDeepStrictEqual } from 'node:util'
import { loadYaml } from '../policy/watched-file.ts'

/**
 * The text after a change, to the byte as its owner wrote it wherever nothing was changed. `rendered` is the text as the
 * YAML library writes it and `changed` the same after the change: they differ from the first line that is not the same
 * to the last, and only that stretch is put into the text. Where that cannot be told, it is all written anew.
 */
export function keepUntouched(text: string, rendered: string, changed: string): string {
  if (rendered === changed) return text
  const fitting = text.includes('\r\n') ? changed.replaceAll('\n', '\r\n') : changed
  if (squeezed(text) !== squeezed(rendered)) return fitting
  const [before, after] = [linesOf(rendered), linesOf(changed)]
  const ahead = countSame(before, after)
  const behind = countSame(before.slice(ahead).toReversed(), after.slice(ahead).toReversed())
  const head = endOfLine(text, offsetAfter(text, weight(before.slice(0, ahead))))
  const tail = startOfLine(text, offsetAfter(text, weight(before.slice(0, before.length - behind))), head)
  if (head === undefined || tail === undefined) return fitting
  const stretch = after.slice(ahead, after.length - behind).join('')
  const ending = text.includes('\r\n') ? stretch.replaceAll('\n', '\r\n') : stretch
  const merged = text.slice(0, head) + ending + text.slice(tail)
  return saysTheSame(merged, changed) ? merged : fitting
}

/** Without blanks and line ends: what is left of two ways to write the same is the same. */
function squeezed(text: string): string {
  return text.replace(/\s+/g, '')
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function countSame(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((line, index) => line !== other[index])
  return at < 0 ? one.length : at
}

function weight(lines: readonly string[]): number {
  return squeezed(lines.join('')).length
}

/** Behind how much of a text so many signs have gone by that are no blanks. */
function offsetAfter(text: string, signs: number): number {
  let seen = 0
  for (let at = 0; at < text.length; at++) {
    if (seen === signs) return at
    if (!/\s/.test(text[at] as string)) seen++
  }
  return text.length
}

/** The end of the line that a stretch ends in; undefined where something else stands in it behind that. */
function endOfLine(text: string, offset: number): number | undefined {
  if (offset === 0) return 0
  const end = text.indexOf('\n', offset)
  const rest = end < 0 ? text.slice(offset) : text.slice(offset, end + 1)
  if (rest.trim() !== '') return undefined
  // What is put behind a last line without an end would go on in it.
  return end < 0 ? undefined : end + 1
}

/** Where what comes behind a stretch begins; blank lines before it stay its own. */
function startOfLine(text: string, offset: number, least: number | undefined): number | undefined {
  const start = endOfLine(text, offset)
  return start === undefined || least === undefined ? undefined : Math.max(start, least)
}

function saysTheSame(one: string, other: string): boolean {
  const { parseDocument } = loadYaml()
  const [left, right] = [one, other].map((text) => parseDocument(text, { logLevel: 'error' }))
  if (!left || !right || left.errors.length > 0) return false
  const hasSameWords =
    squeezed(left.toString({ lineWidth: 0 })) === squeezed(right.toString({ lineWidth: 0 }))
  return hasSameWords && isDeepStrictEqual(left.toJS(), right.toJS())
}
