import { spellHidden } from '../basics/hidden-signs.ts'
import type { ToolDefinition } from './tool-definition.ts'

/** What in a definition deserves a second look. Nothing of it is proof of anything, nor is its absence. */
export type MarkKind = 'hidden' | 'direction' | 'control' | 'addresses_model' | 'claim'

export interface Mark {
  readonly kind: MarkKind
  /** Where it stands, such as `inputSchema.properties.text.description`. */
  readonly at: string
  /** The words around it, with every sign spelled out that shows nothing. */
  readonly text: string
}

const MAX_MARKS = 50
const EXCERPT_CHARS = 160
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u
const CONTROL = /(?![\n\r\t])\p{Cc}/u

/** Ways in which a text speaks to the model that reads it, where it should say what the tool does. */
const ADDRESSES: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,60}\b(?:instruction|rule|prompt|message|guideline|polic|tool|restriction|above|previous|prior)/,
  /<\/?(?:important|system|instructions?|assistant|user|secret|hidden|prompt|critical|admin)\b[^>]*>/,
  /\b(?:do not|don't|never|without|avoid)\b.{0,40}\b(?:tell|mention|inform|reveal|show|notify|ask|alert|disclos)\w*\b.{0,40}\b(?:user|human|owner|person|anyone|anybody|them)\b/,
  /\byou (?:must|should|shall|have to|need to|are required to|will|are now|are an?)\b/,
  /\b(?:always|never|first|instead|also) (?:call|use|invoke|run|read|send|pass|include|add|append|forward|execute)\b/,
  /\b(?:before|after|when|whenever) (?:you )?(?:us|call|invok|answer|respond|do)(?:e|es|ing|ding)?\b.{0,80}\b(?:read|send|call|run|pass|include|fetch|append)\b/,
  /\b(?:system prompt|language model|as an ai|ai assistant|ai agent|the assistant|chat history|conversation history|previous messages|context window|chain of thought)\b/,
  /(?:~\/\.|\bid_rsa\b|\/etc\/passwd|\.env\b|\bmcp\.json\b|\bprivate keys?\b)/,
]

/** Everything in a definition that its reviewer should not overlook. */
export function findMarks(definition: ToolDefinition): Mark[] {
  const marks: Mark[] = []
  for (const [at, text] of textsIn(definition, '')) {
    if (marks.length >= MAX_MARKS) break
    marks.push(...marksOf(at, text))
  }
  return [...marks.slice(0, MAX_MARKS), ...claimsIn(definition)]
}

function* textsIn(value: unknown, at: string): Generator<[string, string]> {
  if (typeof value === 'string') yield [at, value]
  if (typeof value !== 'object' || value === null) return
  for (const [key, held] of Object.entries(value)) {
    const place = at === '' ? key : `${at}.${key}`
    // A name is read by models as any other text.
    if (!Array.isArray(value)) yield [place, key]
    yield* textsIn(held, place)
  }
}

function marksOf(at: string, text: string): Mark[] {
  const kinds: MarkKind[] = []
  if (DIRECTION.test(text)) kinds.push('direction')
  else if (spellHidden(text) !== text) kinds.push('hidden')
  if (CONTROL.test(text)) kinds.push('control')
  const found = firstAddress(plainWords(text))
  const place = shown(at)
  return [
    ...kinds.map((kind) => ({ kind, at: place, text: excerpt(text, firstOdd(text)) })),
    ...(found === undefined ? [] : [{ kind: 'addresses_model' as const, at: place, text: found }]),
  ]
}

/** As a model reads it: without what hides between the letters, in one form of each. */
function plainWords(text: string): string {
  return spellHidden(text, () => '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[’ʼ]/g, "'")
    .replace(/\s+/g, ' ')
}

function firstAddress(words: string): string | undefined {
  for (const pattern of ADDRESSES) {
    const found = pattern.exec(words)
    if (found) return excerpt(words, found.index)
  }
  return undefined
}

function firstOdd(text: string): number {
  return Math.max(
    0,
    [...text].findIndex((sign) => spellHidden(sign) !== sign || CONTROL.test(sign)),
  )
}

function excerpt(text: string, at: number): string {
  const from = Math.max(0, at - EXCERPT_CHARS / 4)
  return shown(text.slice(from, from + EXCERPT_CHARS))
}

function shown(text: string): string {
  return spellHidden(text).replace(/\p{Cc}|\p{Cs}/gu, (sign) => `\\u{${sign.charCodeAt(0).toString(16)}}`)
}

const CLAIMS: Readonly<Record<string, readonly [value: boolean, words: string]>> = {
  readOnlyHint: [true, 'says of itself that it changes nothing'],
  destructiveHint: [false, 'says of itself that it destroys nothing'],
  idempotentHint: [true, 'says of itself that twice is the same as once'],
  openWorldHint: [false, 'says of itself that it reaches nothing outside'],
}

/** What a server says of its tool, and nothing checks. */
function claimsIn({ annotations }: ToolDefinition): Mark[] {
  const hints = Object(annotations) as Record<string, unknown>
  const claims = Object.entries(CLAIMS).filter(([name, [value]]) => hints[name] === value)
  const marks = claims.map(([name, [, text]]): Mark => ({ kind: 'claim', at: `annotations.${name}`, text }))
  const isContradiction = hints.readOnlyHint === true && hints.destructiveHint === true
  const both = 'says of itself both that it changes nothing and that it destroys'
  return isContradiction ? [...marks, { kind: 'claim', at: 'annotations', text: both }] : marks
}
