import { PROVIDER_FORMATS } from '../formats/provider-formats.ts'
import type { KnownForm } from '../known/known-values.ts'
import { type PlacedFormat, placeFormat } from '../layers/provider-layer.ts'
import { VALUE_COLUMNS } from '../layers/secret-columns.ts'
import { STRUCTURES, type Structure } from '../layers/structure-layer.ts'
import { CONTENT_STARTS } from '../looks/known-content.ts'
import type { OwnerPattern } from '../owner-patterns.ts'
import { type Anchors, buildAnchors } from './anchors.ts'
import { WORDS } from './line-words.ts'

/** What an anchor in a text leads to. */
export type Lead =
  | { kind: 'format'; format: PlacedFormat }
  | { kind: 'structure'; structure: Structure }
  | { kind: 'known'; form: KnownForm }
  | { kind: 'owner'; pattern: OwnerPattern }
  | { kind: 'word' | 'begin' | 'end' | 'object' | 'mark' | 'content' | 'diff' | 'columns' }

export interface AnchorTable {
  anchors: Anchors
  leads: readonly Lead[]
}

/** The words that a line may name a secret by, for a text that is looked at on its own. */
export const ANY_WORD = new RegExp(WORDS.join('|'), 'i')
/** A longer beginning would not tell a value better, only make the table larger and the walk slower. */
const MAX_ANCHOR_CHARS = 8
const MAX_ALIKE = 8

const BUILT_IN: readonly (readonly [string, Lead])[] = [
  ...PROVIDER_FORMATS.map(placeFormat).flatMap((format) =>
    [...new Set(format.anchors.map((anchor) => anchor.slice(0, MAX_ANCHOR_CHARS)))].map(
      (anchor) => [anchor, { kind: 'format', format }] as const,
    ),
  ),
  ...STRUCTURES.flatMap((structure) =>
    structure.anchors.map((anchor) => [anchor, { kind: 'structure', structure }] as const),
  ),
  ...WORDS.map((word) => [word, { kind: 'word' }] as const),
  ['-----begin', { kind: 'begin' }],
  ['-----end', { kind: 'end' }],
  ['apiversion', { kind: 'object' }],
  ['"kind"', { kind: 'object' }],
  ['kind:', { kind: 'object' }],
  ['[redacted:', { kind: 'mark' }],
  ['diff --git ', { kind: 'diff' }],
  ['@@ -', { kind: 'diff' }],
  ...VALUE_COLUMNS.map((start) => [start, { kind: 'columns' }] as const),
  ...CONTENT_STARTS.map((start) => [start, { kind: 'content' }] as const),
]

/** Where many values begin alike, more of each is its beginning: they would all be tried at every such place. */
function knownAnchors(known: readonly KnownForm[], chars: number): (readonly [string, Lead])[] {
  const groups = [...Map.groupBy(known, ({ text }) => text.slice(0, chars))]
  return groups.flatMap(([beginning, forms]) =>
    forms.length > MAX_ALIKE && forms.some(({ text }) => text.length > chars)
      ? knownAnchors(forms, 2 * chars)
      : forms.map((form) => [beginning, { kind: 'known', form }] as const),
  )
}

/** The anchors of every layer in one table, so that a text is walked once for all of them. */
export function anchorTable(known: readonly KnownForm[], owner: readonly OwnerPattern[]): AnchorTable {
  const all: (readonly [string, Lead])[] = [
    ...BUILT_IN,
    ...knownAnchors(known, MAX_ANCHOR_CHARS),
    ...owner.map((pattern) => [pattern.prefix, { kind: 'owner', pattern }] as const),
  ]
  return { anchors: buildAnchors(all.map(([text]) => text)), leads: all.map(([, lead]) => lead) }
}
