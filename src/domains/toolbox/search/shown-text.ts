import { fillVeils, type VeiledText } from '../../../platform/redaction/veil.ts'

/** A text as an agent gets to see it. Offsets are in bytes. */
export interface ShownText {
  readonly bytes: Buffer
  /** Where marks stand for secrets. */
  readonly marks: readonly { readonly start: number; readonly end: number }[]
}

/** The text that read_file shows, and where offsets of the veiled text are in it; those must rise. */
export function showVeiled(
  { text, pieces }: VeiledText,
  offsets: readonly number[],
): { shown: ShownText; offsets: readonly number[] } {
  const bytes = Buffer.from(
    fillVeils(
      text,
      pieces.map(({ shown }) => shown),
    ).text,
  )
  if (pieces.length === 0) return { shown: { bytes, marks: [] }, offsets }
  const veiled = Buffer.from(text)
  const marks: { start: number; end: number }[] = []
  const moved: number[] = []
  let [veil, shift] = [veiled.indexOf(0), 0]
  function passVeils(before: number): void {
    for (; veil >= 0 && veil < before; veil = veiled.indexOf(0, veil + 1)) {
      const length = Buffer.byteLength(pieces[marks.length]?.shown ?? '')
      marks.push({ start: veil + shift, end: veil + shift + length })
      shift += length - 1
    }
  }
  for (const offset of offsets) {
    passVeils(offset)
    moved.push(offset + shift)
  }
  passVeils(veiled.length)
  return { shown: { bytes, marks }, offsets: moved }
}
