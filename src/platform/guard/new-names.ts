import { noPathFault } from './faults.ts'

const PLAIN = /^[\x20-\x7e]*$/
/** Pictures are joined, chosen and coloured by signs that show nothing themselves. */
const PICTURES = /\p{RGI_Emoji}|(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]/gv
/** In these scripts joiners between letters are spelling, as in Persian. */
const JOINING_SCRIPTS =
  'Arab Syrc Mong Nkoo Adlm Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt Bali Java'
const JOINED_LETTER = `[[${JOINING_SCRIPTS.split(' ')
  .map((script) => `\\p{sc=${script}}`)
  .join('')}]&&[\\p{L}\\p{M}]]`
const JOINERS = new RegExp(`(?<=${JOINED_LETTER})[\\u200c\\u200d](?=${JOINED_LETTER})`, 'gv')
/** Format characters and whatever Unicode has renderers ignore, but for the signs of Arabic and its like that show. */
const HIDDEN =
  /[[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]--[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]]/v

const NAMES: Readonly<Record<number, string>> = {
  0xad: 'soft hyphen',
  0x34f: 'combining grapheme joiner',
  0x61c: 'Arabic letter mark',
  0x180e: 'Mongolian vowel separator',
  0x200b: 'zero width space',
  0x200c: 'zero width non-joiner',
  0x200d: 'zero width joiner',
  0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark',
  0x202a: 'left-to-right embedding',
  0x202b: 'right-to-left embedding',
  0x202c: 'pop directional formatting',
  0x202d: 'left-to-right override',
  0x202e: 'right-to-left override',
  0x2060: 'word joiner',
  0x2066: 'left-to-right isolate',
  0x2067: 'right-to-left isolate',
  0x2068: 'first strong isolate',
  0x2069: 'pop directional isolate',
  0x3164: 'Hangul filler',
  0xfeff: 'zero width no-break space',
}

/**
 * Refuses a new name with a sign that shows nothing: two names would look the same, or one like another kind of file.
 * Names that are there already are read, changed and deleted as they are.
 */
export function checkNewName(name: string): void {
  if (PLAIN.test(name)) return
  const rest = name.replace(PICTURES, ' ').replace(JOINERS, '')
  const sign = HIDDEN.exec(rest)?.[0].codePointAt(0)
  if (sign !== undefined)
    throw noPathFault(
      `A new name may not hold ${spell(sign)}, which shows nothing: leave it out, or write a character that can be seen.`,
    )
}

function spell(sign: number): string {
  const number = `U+${sign.toString(16).toUpperCase().padStart(4, '0')}`
  const name = NAMES[sign]
  return name === undefined ? `the character ${number}` : `the character ${number} (${name})`
}
