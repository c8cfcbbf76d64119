import { findMisplacedRepeat, type MisplacedRepeat } from './misplaced-repeat.ts'
import { listPatternParts, type PatternPart } from './pattern-parts.ts'
import { PATTERN_MAX_CHARS, PatternInvalid } from './patterns.ts'

/** A construct that other engines know, and what to write instead. */
interface Advice {
  readonly kind: PatternPart['kind']
  readonly form: RegExp
  readonly name: string
  readonly instead: string
}

const LOOK = 'match the surrounding text too, or search for the inner part and look at the lines found'
const SPELL_OUT = 'write out the alternatives, such as "a"|\'a\''

/** The engine would take these, but with another meaning than Python and PCRE give them. */
const MISREAD: readonly Advice[] = [
  {
    kind: 'escape',
    form: /^\\[<>]$/,
    name: 'an escaped angle bracket',
    instead: 'write < or > without \\, or \\b for the edge of a word',
  },
  { kind: 'group', form: /^\(\?R\)$/, name: 'recursion', instead: 'write out as many levels as are needed' },
  { kind: 'class', form: /\[/, name: 'a [ within [...]', instead: 'write \\[ for the character' },
  {
    kind: 'class',
    form: /&&|--|~~/,
    name: 'a set operation within [...]',
    instead: 'escape the character, as in \\- or \\&',
  },
  { kind: 'brace', form: /\}$/, name: 'a { that begins no count', instead: 'write \\{ for the character' },
]

const UNKNOWN: readonly Advice[] = [
  { kind: 'group', form: /^\(\?<?[=!]/, name: 'look-around', instead: LOOK },
  {
    kind: 'group',
    form: /^\(\?>/,
    name: 'an atomic group',
    instead: 'write (?:...); this engine never backtracks',
  },
  { kind: 'group', form: /^\(\?#/, name: 'a comment group', instead: 'leave it out' },
  { kind: 'group', form: /^\(\?P=/, name: 'a back-reference', instead: SPELL_OUT },
  {
    kind: 'group',
    form: /^\(\?(?:P>|&|[+-]?\d)/,
    name: 'recursion',
    instead: 'write out as many levels as are needed',
  },
  {
    kind: 'group',
    form: /^\(\?\(/,
    name: 'a conditional group',
    instead: 'write the cases as alternatives a|b',
  },
  { kind: 'group', form: /^\(\?\|/, name: 'a branch reset group', instead: 'write (?:...)' },
  { kind: 'group', form: /^\(\?'/, name: 'a group named in quotes', instead: 'write (?<name>...)' },
  { kind: 'group', form: /^\(\*/, name: 'a control verb', instead: 'leave it out' },
  {
    kind: 'group',
    form: /^\(\?[a-zA-Z-]*[aL]/,
    name: 'the flag a or L',
    instead: 'write (?-u:\\w) or [0-9A-Za-z_]',
  },
  { kind: 'escape', form: /^\\[1-9gk]$/, name: 'a back-reference', instead: SPELL_OUT },
  { kind: 'escape', form: /^\\0$/, name: 'an octal escape', instead: 'write \\x00' },
  { kind: 'escape', form: /^\\Z$/, name: '\\Z', instead: 'write \\z for the end of the text' },
  { kind: 'escape', form: /^\\G$/, name: '\\G', instead: 'leave it out' },
  { kind: 'escape', form: /^\\K$/, name: '\\K', instead: 'leave it out; the whole match counts' },
  {
    kind: 'escape',
    form: /^\\[QE]$/,
    name: 'quoting with \\Q...\\E',
    instead: 'escape each special character with \\',
  },
  { kind: 'escape', form: /^\\R$/, name: '\\R', instead: 'write \\r?\\n' },
  { kind: 'escape', form: /^\\X$/, name: '\\X', instead: 'write .' },
  { kind: 'escape', form: /^\\h$/, name: '\\h', instead: 'write [ \\t]' },
  { kind: 'escape', form: /^\\H$/, name: '\\H', instead: 'write [^ \\t]' },
  {
    kind: 'escape',
    form: /^\\[NV]$/,
    name: '\\N or \\V',
    instead: 'write [^\\n], or a character as \\x{2014}',
  },
  { kind: 'escape', form: /^\\[ce]$/, name: 'a control escape', instead: 'write the character as \\x1b' },
  {
    kind: 'escape',
    form: /^\\[^!-/:-@[-`{-~ \w]$/u,
    name: 'the escape of a letter',
    instead: 'write it without \\',
  },
  { kind: 'class_escape', form: /^\\b$/, name: '\\b within [...]', instead: 'write \\x08' },
  {
    kind: 'class_escape',
    form: /^\\[<>]$/,
    name: 'an escaped angle bracket within [...]',
    instead: 'write < or > without \\',
  },
  { kind: 'brace', form: /./, name: 'a { that begins no count', instead: 'write \\{ for the character' },
  { kind: 'repeat', form: /^\{,\d/, name: 'a count without its lower end', instead: 'write {0,n}' },
  {
    kind: 'repeat',
    form: /^\{,?\}/,
    name: 'a { that begins no count',
    instead: 'write \\{ for the character',
  },
]

/** Refuses what the engine would not read as its author meant it. */
export function checkPattern(pattern: string): void {
  if (pattern.length > PATTERN_MAX_CHARS)
    throw new PatternInvalid(
      `A pattern has at most ${PATTERN_MAX_CHARS} characters; this one has ${pattern.length}.`,
    )
  const parts = listPatternParts(pattern)
  const advice = findAdvice(parts, MISREAD)
  if (advice) throw new PatternInvalid(advice)
  const misplaced = findMisplacedRepeat(pattern, parts)
  if (misplaced) throw new PatternInvalid(render(...MISPLACED[misplaced.of], misplaced.part))
}

const MISPLACED: Record<MisplacedRepeat['of'], readonly [name: string, instead: string]> = {
  possessive: ['a possessive quantifier', 'write it without the last +'],
  repeat: ['a repeat of a repeat', 'write one of them, or put the inner one in (?:...)'],
  anchor: ['a repeat of a place that takes no characters', 'leave the repeat out, or escape ^ or $ with \\'],
}

/** Says of a pattern that the engine refused what is wrong, in words that help to write a better one. */
export function explainRefusal(pattern: string, message: string): string {
  if (message.startsWith('Compiled regex exceeds'))
    return 'The pattern is too large once its repeats are written out: use smaller counts or classes.'
  const advice = findAdvice(listPatternParts(pattern), UNKNOWN)
  if (advice) return advice
  const reason = message.slice(message.lastIndexOf('error: ') + 'error: '.length)
  return `The pattern cannot be read: ${reason}. Escape a special character with \\ to mean the character itself.`
}

function findAdvice(parts: readonly PatternPart[], advices: readonly Advice[]): string | undefined {
  for (const part of parts) {
    const advice = advices.find(({ kind, form }) => kind === part.kind && form.test(part.text))
    if (advice) return render(advice.name, advice.instead, part)
  }
  return undefined
}

function render(name: string, instead: string, { start }: PatternPart): string {
  return `The pattern has ${name} at character ${start + 1}, which this engine does not support: ${instead}.`
}
