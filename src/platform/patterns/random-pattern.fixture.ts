import fc from 'fast-check'

/** A pattern that this engine and V8 read alike, and whether it can match nothing. */
export interface RandomPattern {
  readonly source: string
  readonly is_nullable: boolean
}

const LETTERS = ['a', 'b', 'é', '😀', '\\n', '\\r', ' ', '_', '1', '\\.', '\\{']
const CLASSES = ['[ab]', '[^a]', '[a-c1]', '[^\\n]', '[é😀]', '.', '(?:a|ab)', '[\\r\\n]']
const REPEATS = ['*', '+', '?', '{2}', '{1,3}', '*?', '+?', '??', '{0,2}?']

const once = (source: string): RandomPattern => ({ source, is_nullable: false })
const atom = fc.constantFrom(...LETTERS, ...CLASSES).map(once)

/** Engines differ in what repeating nothing means, so only what matches something is repeated. */
function repeated(inner: RandomPattern, repeat: string): RandomPattern {
  if (inner.is_nullable) return inner
  return { source: `(?:${inner.source})${repeat}`, is_nullable: /^[*?]|^\{0/.test(repeat) }
}

function joined(parts: readonly RandomPattern[]): RandomPattern {
  return {
    source: parts.map(({ source }) => source).join(''),
    is_nullable: parts.every(({ is_nullable }) => is_nullable),
  }
}

function either(parts: readonly RandomPattern[]): RandomPattern {
  return {
    source: `(${parts.map(({ source }) => source).join('|')})`,
    is_nullable: parts.some(({ is_nullable }) => is_nullable),
  }
}

const { pattern } = fc.letrec<{ pattern: RandomPattern }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atom,
    fc.tuple(tie('pattern'), fc.constantFrom(...REPEATS)).map(([inner, repeat]) => repeated(inner, repeat)),
    fc.array(tie('pattern'), { minLength: 1, maxLength: 3 }).map(joined),
    fc.array(tie('pattern'), { minLength: 2, maxLength: 3 }).map(either),
  ),
}))

export const randomPattern = pattern

/** Texts with all that shifts offsets or ends lines. */
export const randomText = fc
  .array(
    fc.constantFrom('a', 'ab', 'b', 'c', 'é', '😀', '\n', '\r\n', '\r', ' ', '_', '1', '.', '{', '\ufeff'),
    {
      maxLength: 40,
    },
  )
  .map((pieces) => pieces.join(''))

/** What V8 finds, without the empty matches that it gives directly after another match. */
export function matchesOfV8(source: string, text: string): { start: number; end: number }[] {
  let last_end = -1
  return [...text.matchAll(new RegExp(source, 'gmu'))].flatMap(({ index: start, 0: { length } }) => {
    const isAdjacent = length === 0 && start === last_end
    last_end = start + length
    return isAdjacent ? [] : [{ start, end: start + length }]
  })
}
