import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_FOLDER } from '../basics/package-folder.ts'
import type { AnchorTable, Lead } from './anchor-table.ts'
import { type Anchors, ROW_BITS } from './anchors.ts'
import { KEY_QUALIFIERS } from './key-names.ts'
import { COSTS } from './randomness.ts'
import { kindOf } from './scan.ts'

const MODULE_FILE = join(PACKAGE_FOLDER, 'programs', 'line-sieve.wasm')
/** The memory of a program does not shrink again: longer texts are looked at without it. */
const MAX_TEXT_BYTES = 16 * 1_024 * 1_024

/** What `programs/line-sieve` offers; places are bytes in its memory. */
interface SieveExports {
  readonly memory: WebAssembly.Memory
  open(states: number, first_loud: number): void
  reserve(bytes: number): void
  walk(length: number): number
  traits_place(): number
  costs_place(): number
  endings_place(): number
  tellings_place(): number
  lengths_place(): number
  ranges_place(): number
  rows_place(): number
  text_place(): number
}

/** Tells which lines of a text have anything on them that a walk would stop at. */
export interface LineSieve {
  /**
   * Where such lines begin and end, one pair of places after the other, valid until the next text; nothing where the
   * text has too many of them, or is too long.
   */
  find(bytes: Uint8Array): Int32Array | undefined
}

/** What a state tells of the line it is met on, as the program has it. */
const OF_INTEREST = 1
const WORD = 2
const ADDRESS = 4
const BEGINNING = 8
const LINE_END = 16
const BESIDE = 32
const SAYS_SECRET = 64
const PASS = 128
const CHOSEN = 256
const SAYING = {
  colour: OF_INTEREST,
  beside: BESIDE,
  password: BESIDE,
  pass: PASS,
  secret: SAYS_SECRET,
  other: 0,
} as const
const NEEDS = { atSign: ADDRESS, chance: CHOSEN, nothing: OF_INTEREST } as const
const PARTS_TOKENS = 128

const [EDGE, SIDE] = [26, 27]
const ENDINGS = SIDE ** 3

let compiled: WebAssembly.Module | undefined

/** Starts the program over a table; one too large for it leaves every text to be looked at as a whole. */
export function openLineSieve(table: AnchorTable): LineSieve {
  const { next, firstHit } = table.anchors
  const states = next.length >> ROW_BITS
  // Two states are added to the table's own.
  if (states + 2 > 0xffff) return { find: () => undefined }
  compiled ??= new WebAssembly.Module(readFileSync(MODULE_FILE))
  const program = new WebAssembly.Instance(compiled, {}).exports as unknown as SieveExports
  program.open(states + 2, firstHit)
  putTable(program, table)
  let memory = new Uint8Array(0)
  let ranges = new Int32Array(0)
  return {
    find(bytes) {
      if (bytes.length > MAX_TEXT_BYTES) return undefined
      program.reserve(bytes.length)
      // A memory that has grown is another block.
      if (memory.buffer !== program.memory.buffer) {
        memory = new Uint8Array(program.memory.buffer as ArrayBuffer)
        ranges = new Int32Array(program.memory.buffer as ArrayBuffer, program.ranges_place())
      }
      memory.set(bytes, program.text_place())
      const count = program.walk(bytes.length)
      return count < 0 ? undefined : ranges.subarray(0, 2 * count)
    },
  }
}

function putTable(program: SieveExports, table: AnchorTable): void {
  const { buffer } = program.memory
  const { anchors, leads } = table
  const states = anchors.next.length >> ROW_BITS
  new Float64Array(buffer, program.costs_place(), COSTS.length).set(COSTS)
  new Uint8Array(buffer, program.endings_place(), ENDINGS).set(endingsOf(KEY_QUALIFIERS))
  putRows(new Uint16Array(buffer, program.rows_place(), (states + 2) << ROW_BITS), anchors, states)
  new Uint8Array(buffer, program.traits_place(), 256).set(traitsOf(anchors))
  const tellings = new Uint16Array(buffer, program.tellings_place(), states + 2 - anchors.firstHit)
  const lengths = new Uint8Array(buffer, program.lengths_place(), tellings.length)
  anchors.hitsOf.forEach((hits, at) => {
    const told = tellingOf(anchors, leads, hits)
    tellings[at] = told.tells
    lengths[at] = told.length
  })
  tellings.set([OF_INTEREST, LINE_END], states - anchors.firstHit)
}

/** Of each three letters, or fewer behind the edge of a word: whether a word ends so. */
function endingsOf(words: Iterable<string>): Uint8Array {
  const endings = new Uint8Array(ENDINGS)
  for (const word of words) {
    const [third, second, last] = [-3, -2, -1].map((at) => (word.at(at)?.charCodeAt(0) ?? 97 + EDGE) - 97)
    endings[((third as number) * SIDE + (second as number)) * SIDE + (last as number)] = 1
  }
  return endings
}

/** Columns behind those of the anchors: what changes nothing, what is always of interest, and the end of a line. */
function columnsOf({ other }: Anchors) {
  return { continues: other + 1, always: other + 2, newline: other + 3 }
}

function putRows(rows: Uint16Array, anchors: Anchors, states: number): void {
  const { continues, always, newline } = columnsOf(anchors)
  rows.set(anchors.next)
  const first = rows.subarray(0, 1 << ROW_BITS)
  for (let place = 0; place < states + 2; place++) {
    const row = place << ROW_BITS
    if (place >= states) rows.set(first, row)
    rows[row + continues] = place
    rows[row + always] = states
    rows[row + newline] = states + 1
  }
}

const ESCAPE = 27
const NEWLINE = 10

/** Of each byte: its column, and whether it parts tokens. A character of two or three bytes is one step, as in a text. */
function traitsOf(anchors: Anchors): Uint8Array {
  const { continues, always, newline } = columnsOf(anchors)
  return Uint8Array.from({ length: 256 }, (_, byte) => {
    if (byte === NEWLINE) return newline | PARTS_TOKENS
    if (byte === ESCAPE) return always | PARTS_TOKENS
    if (byte < 128)
      return (anchors.classes[byte] as number) | (kindOf(String.fromCharCode(byte)) ? 0 : PARTS_TOKENS)
    if (byte < 0xc0) return continues | PARTS_TOKENS
    return (isPlainLead(byte) ? anchors.other : always) | PARTS_TOKENS
  })
}

/**
 * Characters that begin with one of these bytes are signs: every word for a secret in another script has a letter that
 * begins with another one. Those of four bytes are two steps in a text, and none of these.
 */
export function isPlainLead(byte: number): boolean {
  return byte === 0xc2 || byte === 0xe2 || byte === 0xef
}

/** What a state tells by the anchors that end in it, and how long they are if they begin tokens. */
function tellingOf(
  { lengths }: Anchors,
  leads: readonly Lead[],
  hits: readonly number[],
): { tells: number; length: number } {
  let tells = 0
  let length = 0
  for (const index of hits) {
    const own = lengths[index] as number
    const telling = tellingOfLead(leads[index] as Lead)
    const isOther = telling === BEGINNING && length > 0 && own !== length
    tells |= isOther ? OF_INTEREST : telling
    if (telling === BEGINNING) length = own
  }
  return { tells, length }
}

function tellingOfLead(lead: Lead): number {
  if (lead.kind === 'word') return WORD | SAYING[lead.says]
  if (lead.kind === 'aside') return SAYING[lead.says]
  if (lead.kind === 'structure') return NEEDS[lead.structure.needs ?? 'nothing']
  return lead.kind === 'format' && !lead.format.allowsInside ? BEGINNING : OF_INTEREST
}
