import { type PatternNode, parsePattern } from './pattern-parser.ts'

const MAX_PATTERN_CHARS = 1000
/** Time to test a text is at most its length times this. */
const MAX_STEPS = 2000

type Accepts = (point: number) => boolean

type Step =
  | { kind: 'one'; accepts: Accepts }
  | { kind: 'edge'; at: '^' | '$' | '\\b' | '\\B' }
  | { kind: 'split'; ways: number[] }
  | { kind: 'done' }

/** What a schema's `pattern` is asked with. */
export interface LinearPattern {
  test(text: string): boolean
  toString(): string
}

/**
 * A regular expression that takes time linear in the text, whatever the pattern: all ways through it
 * are followed at once, so no text can make it try again. Meaning as with the `u` flag.
 */
export function linearPattern(pattern: string): LinearPattern {
  if (pattern.length > MAX_PATTERN_CHARS) throw new Error('pattern too long')
  // Whatever the language refuses is refused here first, so the reader below may trust the syntax.
  void new RegExp(pattern, 'u')
  const steps: Step[] = []
  build(parsePattern(pattern), steps)
  push(steps, { kind: 'done' })
  return { test: (text) => isFound(steps, text), toString: () => `/${pattern}/u` }
}

function push(steps: Step[], step: Step): number {
  if (steps.length >= MAX_STEPS) throw new Error('pattern too large')
  return steps.push(step) - 1
}

function build(node: PatternNode, steps: Step[]): void {
  if (node.kind === 'one') push(steps, { kind: 'one', accepts: acceptor(node.source) })
  else if (node.kind === 'edge') push(steps, node)
  else if (node.kind === 'all') buildAll(node.of, steps)
  else if (node.kind === 'any') buildChoice(node.of, steps)
  else buildRepeat(node.of, node.min, node.max, steps)
}

// Nothing still takes a step: otherwise an empty group repeated without end would cost time but no room.
function buildAll(parts: PatternNode[], steps: Step[]): void {
  if (parts.length === 0) push(steps, { kind: 'split', ways: [steps.length + 1] })
  for (const part of parts) build(part, steps)
}

function buildChoice(ways: PatternNode[], steps: Step[]): void {
  const split: number[] = []
  push(steps, { kind: 'split', ways: split })
  const ends = ways.map((way) => {
    split.push(steps.length)
    build(way, steps)
    const end: number[] = []
    push(steps, { kind: 'split', ways: end })
    return end
  })
  for (const end of ends) end.push(steps.length)
}

function buildRepeat(of: PatternNode, min: number, max: number, steps: Step[]): void {
  if (max === 0) return buildAll([], steps)
  for (let n = 0; n < min; n++) build(of, steps)
  if (max === Number.POSITIVE_INFINITY) return buildLoop(of, steps)
  const exits: number[][] = []
  for (let n = min; n < max; n++) {
    const ways: number[] = []
    ways.push(push(steps, { kind: 'split', ways }) + 1)
    exits.push(ways)
    build(of, steps)
  }
  for (const ways of exits) ways.push(steps.length)
}

function buildLoop(of: PatternNode, steps: Step[]): void {
  const ways: number[] = []
  const start = push(steps, { kind: 'split', ways })
  build(of, steps)
  push(steps, { kind: 'split', ways: [start] })
  ways.push(start + 1, steps.length)
}

/** What one class or escape means is left to the language's engine, over a single character. */
function acceptor(source: string): Accepts {
  const expression = new RegExp(`^(?:${source})$`, 'u')
  const accepts = (point: number) => expression.test(String.fromCodePoint(point))
  const ascii: (boolean | undefined)[] = []
  return (point) => (point < 128 ? (ascii[point] ??= accepts(point)) : accepts(point))
}

function isFound(steps: readonly Step[], text: string): boolean {
  const seen = new Int32Array(steps.length).fill(-1)
  let now: number[] = []
  let before: number | undefined
  for (let at = 0, turn = 0; ; turn++) {
    const point = text.codePointAt(at)
    const waiting = follow(steps, [...now, 0], seen, turn, before, point)
    if (waiting === 'done') return true
    if (point === undefined) return false
    now = []
    for (const index of waiting) {
      const step = steps[index] as Step
      if (step.kind === 'one' && step.accepts(point)) now.push(index + 1)
    }
    before = point
    at += point > 0xffff ? 2 : 1
  }
}

/** Goes on from each place without taking a character, to the places that want one. */
function follow(
  steps: readonly Step[],
  open: number[],
  seen: Int32Array,
  turn: number,
  before: number | undefined,
  after: number | undefined,
): number[] | 'done' {
  const waiting: number[] = []
  while (open.length > 0) {
    const index = open.pop() as number
    if (seen[index] === turn) continue
    seen[index] = turn
    const step = steps[index] as Step
    if (step.kind === 'done') return 'done'
    if (step.kind === 'one') waiting.push(index)
    else if (step.kind === 'split') open.push(...step.ways)
    else if (isEdge(step.at, before, after)) open.push(index + 1)
  }
  return waiting
}

function isEdge(at: string, before: number | undefined, after: number | undefined): boolean {
  if (at === '^') return before === undefined
  if (at === '$') return after === undefined
  return (isWord(before) !== isWord(after)) === (at === '\\b')
}

function isWord(point: number | undefined): boolean {
  return point !== undefined && /\w/.test(String.fromCodePoint(point))
}
