import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isExactNumber } from './exact-number.ts'
import { readExactJson } from './read-exact-json.ts'

const RUNS = { numRuns: 2_000 }

/** A reader of its own that keeps all there is: every digit, every key, in order and as often as it stands there. */
function transcribe(text: string): unknown {
  let at = 0
  const skip = () => {
    while (' \t\r\n'.includes(text[at] ?? '?')) at++
  }
  const take = (pattern: RegExp) => {
    const [found] = pattern.exec(text.slice(at)) ?? []
    if (found !== undefined) at += found.length
    return found
  }
  const listUntil = (end: string, item: () => unknown): unknown[] => {
    const items: unknown[] = []
    at++
    for (skip(); text[at] !== end; skip()) {
      if (text[at] === ',') at++
      skip()
      items.push(item())
    }
    at++
    return items
  }
  const textHere = () => {
    const raw = take(/^"(?:[^"\\]|\\.)*"/s) as string
    return raw
      .slice(1, -1)
      .replace(/\\(u([0-9a-fA-F]{4})|.)/g, (_all, sign: string, code?: string) =>
        code === undefined
          ? ({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }[sign] ?? sign)
          : String.fromCharCode(parseInt(code, 16)),
      )
  }
  const valueHere = (): unknown => {
    skip()
    if (text[at] === '[') return ['list', ...listUntil(']', valueHere)]
    if (text[at] === '{') {
      const members = listUntil('}', () => {
        const key = textHere()
        skip()
        at++
        return [key, valueHere()] as const
      }) as [string, unknown][]
      return ['object', ...members.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))]
    }
    if (text[at] === '"') return ['text', textHere()]
    const word = take(/^(true|false|null)/)
    if (word !== undefined) return word
    const [, sign, whole = '', part = '', power = '0'] =
      /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?/.exec(take(/^[-+.\deE]+/) as string) ?? []
    let digits = BigInt(whole + part)
    let size = BigInt(power) - BigInt(part.length)
    while (digits !== 0n && digits % 10n === 0n) {
      digits /= 10n
      size++
    }
    return ['number', sign, String(digits), digits === 0n ? '0' : String(size)]
  }
  return valueHere()
}

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(String),
  fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.bigInt({ min: 0n, max: 10n ** 20n }),
      fc.stringMatching(/^\d{1,20}$/),
      fc.integer({ min: -400, max: 400 }),
    )
    .map(([sign, whole, part, power]) => `${sign}${whole}.${part}e${power}`),
  fc.constantFrom(
    '1.0',
    '-0',
    '0.0',
    '-0.0',
    '1e2',
    '1E+2',
    '0e999999999999',
    '1e400',
    '5e-324',
    '4e-324',
    '9007199254740993',
  ),
)
const text = fc.oneof(
  fc.string({ unit: 'binary' }).map((value) => JSON.stringify(value)),
  fc.stringMatching(/^([a-z]|\\u[0-9a-f]{4}|\\n)*$/).map((value) => `"${value}"`),
  fc.constantFrom(
    '"__proto__"',
    '"caf\u00e9"',
    '"cafe\u0301"',
    '"\\ud83d\\ude00"',
    '"\\ud83d"',
    '"1"',
    '"01"',
  ),
)
const { document } = fc.letrec<{ document: string }>((tie) => ({
  document: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(number, text, fc.constantFrom('true', 'false', 'null')),
    fc.array(tie('document'), { maxLength: 4 }).map((items) => `[${items.join(' ,')}]`),
    fc
      .array(fc.tuple(text, tie('document')), { maxLength: 4 })
      .map((members) => `{ ${members.map(([key, value]) => `${key}:${value}`).join(',\n')} }`),
  ),
}))

describe('a document', () => {
  test('is refused, or read so that writing it again says the very same', () => {
    let kept = 0
    fc.assert(
      fc.property(document, (written) => {
        const read = readExactJson(Buffer.from(written))
        if (!read.ok) return
        kept++
        expect(transcribe(JSON.stringify(read.value))).toEqual(transcribe(written))
      }),
      RUNS,
    )
    expect(kept).toBeGreaterThan(RUNS.numRuns / 10)
  })

  test('of any bytes is refused, or sound UTF-8 that says the same', () => {
    const pieces = fc.oneof(
      document.map((written) => Buffer.from(written)),
      fc.uint8Array({ maxLength: 6 }),
      fc.constantFrom('"', '{', '}', ':', ',', '\ufeff', '\u0000', ' ').map((sign) => Buffer.from(sign)),
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 4 }), (parts) => {
        const bytes = Buffer.concat(parts)
        const read = readExactJson(bytes)
        if (!read.ok) return void expect(read.message).toMatch(/^(is|holds|has|names) /)
        const said = bytes.toString().replace(/^\ufeff/, '')
        expect(Buffer.from(bytes.toString()).equals(bytes)).toBe(true)
        expect(transcribe(JSON.stringify(read.value))).toEqual(transcribe(said))
      }),
      RUNS,
    )
  })

  test('that JSON writes of plain values is read as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const written = JSON.stringify(value)
        if (written.includes('__proto__')) return
        expect(readExactJson(written)).toEqual({ ok: true, value: JSON.parse(written) })
      }),
    )
  })

  test.each([
    ['', 'is not one JSON document'],
    ['{} {}', 'is not one JSON document'],
    ['"open', 'is not one JSON document'],
    ['{"a":1,"a":2}', 'names a key twice'],
    ['[1e400]', 'holds a number that is too large'],
    ['[12345678901234567890]', 'holds a number that cannot be kept as it is written'],
    ['{"\\ud800":1}', 'holds half of a surrogate pair'],
    ['{"a":[{"__proto__":1}]}', 'has a key called __proto__'],
    [`${'['.repeat(65)}${']'.repeat(65)}`, 'is nested too deeply'],
    [Uint8Array.of(0x22, 0xff, 0x22), 'is not UTF-8 text'],
  ] as const)('such as %s is refused by name', (given, message) => {
    expect(readExactJson(given)).toEqual({ ok: false, message })
  })
})

test('every number that a program writes is exact', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(isExactNumber(JSON.stringify(value))).toBe(true)
      if (value !== 0) expect(isExactNumber(value.toExponential())).toBe(true)
    }),
  )
})
