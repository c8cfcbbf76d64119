import { type Anchors, buildAnchors } from './anchors.ts'
import { ASIDES, type Saying } from './asides.ts'
import { CONTENT_STARTS } from './known-content.ts'
import type { KnownForm } from './known-values.ts'
import type { OwnerPattern } from './owner-patterns.ts'
import { PROVIDER_FORMATS } from './provider-formats.ts'
import { type PlacedFormat, placeFormat } from './provider-layer.ts'
import { STRUCTURES, type Structure } from './structure-layer.ts'

/** What an anchor in a text leads to. */
export type Lead =
  | { kind: 'format'; format: PlacedFormat }
  | { kind: 'structure'; structure: Structure }
  | { kind: 'known'; form: KnownForm }
  | { kind: 'owner'; pattern: OwnerPattern }
  | { kind: 'word'; says: Saying }
  | { kind: 'aside'; says: Saying | 'colour' | 'beside' }
  | { kind: 'begin' | 'end' | 'object' | 'mark' | 'content' }

export interface AnchorTable {
  anchors: Anchors
  leads: readonly Lead[]
}

/** Where one of these stands, the line may name a secret. Anything may be given to a word for a password. */
const PASSWORD_WORDS = (
  'pwd psw pssw pasw psk pw contrase senha kennwort wachtw parola heslo salasana jelsz lozink adgangsk haslo ' +
  'sifre losenord parool sandi'
).split(' ')
const SECRET_WORDS = 'secret token cred jwt segret segred bundle_'.split(' ')
const OTHER_WORDS = 'key auth login session sid csrf sig'.split(' ')
const WORDS = ['pass', ...PASSWORD_WORDS, ...SECRET_WORDS, ...OTHER_WORDS]
/** The same words, for a text that is looked at on its own. */
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
  ['pass', { kind: 'word', says: 'pass' }],
  ...wordLeads(PASSWORD_WORDS, 'password'),
  ...wordLeads(SECRET_WORDS, 'secret'),
  ...wordLeads(OTHER_WORDS, 'other'),
  ['-----begin', { kind: 'begin' }],
  ['-----end', { kind: 'end' }],
  ['apiversion', { kind: 'object' }],
  ['"kind"', { kind: 'object' }],
  ['kind:', { kind: 'object' }],
  ['[redacted:', { kind: 'mark' }],
  ...CONTENT_STARTS.map((start) => [start, { kind: 'content' }] as const),
  ...ASIDES.map(([text, says]) => [text, { kind: 'aside', says }] as const),
]

function wordLeads(words: readonly string[], says: Saying): (readonly [string, Lead])[] {
  return words.map((word) => [word, { kind: 'word', says }])
}

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
