/** `YYYY-MM-DDTHH:MM:SS`, up to nine more digits, and `Z` or `±HH:MM`. */
export const MOMENT_PATTERN =
  '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)$'

const MOMENT = new RegExp(MOMENT_PATTERN)
const LONGEST_CHARS = 35
const DAYS_OF_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Whether a text is a moment of that form, on a day that exists. */
export function isIsoMoment(text: string): boolean {
  if (text.length > LONGEST_CHARS || !MOMENT.test(text)) return false
  const day = twoDigits(text, 8)
  if (day <= 28) return true
  const month = twoDigits(text, 5)
  if (month === 2 && !isLeapYear(Number(text.slice(0, 4)))) return false
  return day <= (DAYS_OF_MONTH[month - 1] as number)
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48
}

function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
}
