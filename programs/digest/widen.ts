// Characters of bytes in UTF-8, sixteen at a step where all are ASCII.

const STEP: i32 = 16
const BLANK: u16 = 32

/** Writes the characters of some bytes, with a blank after them; answers where they end. */
export function widen(from: i32, to: i32, place: i32): i32 {
  let at = from
  let written = place
  while (at < to) {
    if (at + STEP <= to) {
      const bytes = v128.load(at)
      if (i8x16.bitmask(bytes) == 0) {
        v128.store(written, i16x8.extend_low_i8x16_u(bytes))
        v128.store(written, i16x8.extend_high_i8x16_u(bytes), 16)
        at += STEP
        written += STEP * 2
        continue
      }
    }
    const first = <i32>load<u8>(at)
    const size = size_of(first)
    written = write(code_of(first, size, at), written)
    at += size
  }
  store<u16>(written, BLANK)
  return written
}

// @ts-ignore: decorator
@inline
function size_of(first: i32): i32 {
  return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
}

function code_of(first: i32, size: i32, at: i32): i32 {
  if (size == 1) return first
  let code = first & (0xff >> (size + 1))
  for (let offset = 1; offset < size; offset++) code = (code << 6) | (<i32>load<u8>(at + offset) & 63)
  return code
}

/** One character, or a pair of them. */
function write(code: i32, place: i32): i32 {
  if (code < 0x10000) {
    store<u16>(place, <u16>code)
    return place + 2
  }
  store<u16>(place, <u16>(0xd800 + ((code - 0x10000) >> 10)))
  store<u16>(place, <u16>(0xdc00 + (code & 0x3ff)), 2)
  return place + 4
}
