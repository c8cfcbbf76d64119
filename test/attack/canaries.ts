import { randomInt } from 'node:crypto'

// Plain words: what looks like a secret, the redactor would hide from the test as well.
const WORDS =
  'amber barley candle dapple ember fennel garnet hazel iris juniper kestrel larch meadow nettle orchard pebble'.split(
    ' ',
  )
const LENGTH = 5

/** What must never be seen outside of the place where it lies. */
export interface Canary {
  readonly place: string
  readonly text: string
}

/** A text for one place that is found nowhere else. */
export function makeCanary(place: string): Canary {
  const words = Array.from({ length: LENGTH }, () => WORDS[randomInt(WORDS.length)])
  return { place, text: `${place} ${words.join(' ')}` }
}

/** The same as a file name. */
export function nameOf({ text }: Canary): string {
  return `${text.replaceAll(' ', '-')}.txt`
}

/** The forms in which a text that was carried off may turn up. */
function formsOf(canary: Canary): Buffer[] {
  const plain = Buffer.from(canary.text)
  const shifted = [0, 1, 2].map((skipped) => {
    const encoded = plain.subarray(skipped).toString('base64')
    return encoded.slice(0, encoded.length - 4)
  })
  const reversed = [...canary.text].toReversed().join('')
  const forms = [...shifted, plain.toString('hex'), reversed, nameOf(canary)]
  return [plain, ...forms.map((form) => Buffer.from(form))]
}

/** Looks for canaries, whole or encoded; gives the places that they come from. */
export function canaryFinder(canaries: readonly Canary[]): (content: Buffer) => string[] {
  const forms = canaries.map((canary) => ({ place: canary.place, forms: formsOf(canary) }))
  return (content) =>
    forms.filter((each) => each.forms.some((form) => content.includes(form))).map(({ place }) => place)
}
