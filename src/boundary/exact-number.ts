/**
 * Whether a number as it is written in JSON is the very number that a program gets of it: as many digits as there are,
 * the same size, the same sign. `1.0` and `1e2` are; `12345678901234567890`, `1e400` and `-0` are not.
 */
export function isExactNumber(written: string): boolean {
  const value = Number(written)
  if (!Number.isFinite(value) || Object.is(value, -0)) return false
  const [digits, size] = decimalOf(written)
  const [kept, kept_size] = decimalOf(String(value))
  return digits === kept && (digits === '' || size === kept_size)
}

const PARTS = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** A number's digits without zeros at either end, and the power of ten behind the last of them. */
function decimalOf(written: string): [digits: string, size: number] {
  const [, whole = '', part = '', power = '0'] = PARTS.exec(written) ?? []
  const all = whole + part
  let end = all.length
  while (end > 0 && all[end - 1] === '0') end--
  let start = 0
  while (start < end && all[start] === '0') start++
  return [all.slice(start, end), Number(power) - part.length + (all.length - end)]
}
