// Words and signs on a line of ASCII.

const COLON: i32 = 58

// @ts-ignore: decorator
@inline
export function is_space(code: i32): bool {
  return code == 32 || (code >= 9 && code <= 13)
}

// @ts-ignore: decorator
@inline
export function is_word(code: i32): bool {
  return <u32>((code | 32) - 97) < 26 || <u32>(code - 48) < 10 || code == 95
}

export function skip_space(from: i32, to: i32): i32 {
  let at = from
  while (at < to && is_space(<i32>load<u8>(at))) at++
  return at
}

export function is_blank_from(from: i32, to: i32): bool {
  return skip_space(from, to) == to
}

/** Whether up to two letters stand at a place, the first in the lower byte. */
export function starts_with(at: i32, to: i32, letters: i32, length: i32): bool {
  if (at + length > to) return false
  return length == 1 ? <i32>load<u8>(at) == letters : <i32>load<u16>(at) == letters
}

/** Where two letters stand one after the other; -1 where they do not. */
export function find_pair(from: i32, to: i32, letters: i32): i32 {
  for (let at = from; at + 1 < to; at++) if (<i32>load<u16>(at) == letters) return at
  return -1
}

function is_text(at: i32, length: i32, text: string): bool {
  if (length != text.length) return false
  for (let offset = 0; offset < length; offset++)
    if (<i32>load<u8>(at + offset) != text.charCodeAt(offset)) return false
  return true
}

/** Whether nothing but `end` stands on a line. */
export function is_alone(first: i32, to: i32): bool {
  if (first + 3 > to || <i32>load<u8>(first) != 101) return false
  return is_text(first, 3, 'end') && is_blank_from(first + 3, to)
}

/** Whether a line goes on with what stands before it. */
export function has_continued(first: i32, to: i32): bool {
  const code = <i32>load<u8>(first)
  if (!is_word(code)) return is_joint(code)
  let end = first
  while (end < to && is_word(<i32>load<u8>(end))) end++
  const after = skip_space(end, to)
  // A label.
  if (after < to && <i32>load<u8>(after) == COLON && is_blank_from(after + 1, to)) return true
  const length = end - first
  if (is_text(first, length, 'catch')) return true
  return is_joining_word(first, length) && !is_called(end, to)
}

/** } ) ] { > . , ? : | & = */
function is_joint(code: i32): bool {
  if (code >= 123) return code <= 125
  if (code >= 61) return code <= 63 || code == 93
  return code == 58 || code == 46 || code == 44 || code == 41 || code == 38
}

function is_joining_word(at: i32, length: i32): bool {
  if (length < 3 || length > 7) return false
  return (
    is_text(at, length, 'end') ||
    is_text(at, length, 'where') ||
    is_text(at, length, 'rescue') ||
    is_text(at, length, 'ensure') ||
    is_text(at, length, 'else') ||
    is_text(at, length, 'elif') ||
    is_text(at, length, 'elsif') ||
    is_text(at, length, 'except') ||
    is_text(at, length, 'finally')
  )
}

/** Some of these words are names of members elsewhere. */
function is_called(end: i32, to: i32): bool {
  if (end == to) return false
  const code = <i32>load<u8>(end)
  if (code == 40 || code == 63) return true
  return code == COLON && !is_blank_from(end + 1, to)
}
