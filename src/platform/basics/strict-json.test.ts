import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_JSON_DEPTH, parseStrictJson, StrictJsonError } from './strict-json.ts'

function reasonOf(text: string): string {
  try {
    parseStrictJson(text)
    return 'accepted'
  } catch (error) {
    return error instanceof StrictJsonError ? error.reason : `unexpected ${String(error)}`
  }
}

/** Text of a value with free whitespace and free escapes, as another writer might have made it. */
const anyText = fc.oneof(
  fc.json({ maxDepth: 6 }),
  fc.jsonValue({ maxDepth: 6 }).map((value) => JSON.stringify(value, null, 2)),
  fc.jsonValue({ maxDepth: 6 }).map((value) => escapeEverything(JSON.stringify(value))),
)

function escapeEverything(text: string): string {
  return text.replace(/[a-z]/g, (letter, at: number) =>
    isInsideString(text, at) ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : letter,
  )
}

/** Only letters that stand in a string and are not part of an escape may be rewritten. */
function isInsideString(text: string, at: number): boolean {
  let inside = false
  for (let i = 0; i < at; i++) {
    if (inside && text[i] === '\\') {
      i += text[i + 1] === 'u' ? 5 : 1
      if (i >= at) return false
    } else if (text[i] === '"') inside = !inside
  }
  return inside
}

describe('parseStrictJson', () => {
  test('gives what JSON.parse gives for any text without a repeated key', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(parseStrictJson(text)).toStrictEqual(JSON.parse(text))
      }),
    )
  })

  test('refuses as malformed exactly what JSON.parse refuses', () => {
    const almost = fc.oneof(
      fc.string(),
      fc.json({ maxDepth: 3 }).chain((text) => fc.nat(text.length).map((at) => text.slice(0, at))),
      fc.tuple(fc.json(), fc.string({ maxLength: 3 })).map(([text, tail]) => text + tail),
      fc.array(fc.constantFrom(...'{}[]":,\\0 a'.split('')), { maxLength: 12 }).map((c) => c.join('')),
    )
    fc.assert(
      fc.property(almost, (text) => {
        const reason = reasonOf(text)
        if (canParse(text)) expect(['accepted', 'duplicate_key', 'number_too_large']).toContain(reason)
        else expect(reason).toBe('malformed')
      }),
      { numRuns: 500 },
    )
  })

  test('refuses a repeated key wherever it stands', () => {
    const member = fc.tuple(fc.string(), fc.jsonValue({ maxDepth: 2 }))
    const wrap = fc.array(fc.constantFrom('array', 'object'), { maxLength: 5 })
    fc.assert(
      fc.property(member, fc.array(member, { maxLength: 4 }), wrap, ([key, value], others, layers) => {
        const twice = [[key, value] as const, ...others, [key, 0] as const]
        const object = `{${twice.map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join()}}`
        const text = layers.reduce(
          (in_, layer) => (layer === 'array' ? `[1,${in_}]` : `{"in":${in_}}`),
          object,
        )
        expect(reasonOf(text)).toBe('duplicate_key')
      }),
    )
  })

  test.each([
    ['{"name":1,"na\\u006de":2}', 'duplicate_key'],
    ['{"a":{"b":1,"\\u0062":1}}', 'duplicate_key'],
    ['{"__proto__":1,"__proto__":2}', 'duplicate_key'],
    ['{"":1,"":2}', 'duplicate_key'],
    ['{"1":1,"\\u0031":2}', 'duplicate_key'],
    ['{"a":"x:y\\":z","b":"{[:"}', 'accepted'],
    ['{"a\\\\":1,"a\\\\\\"":2}', 'accepted'],
    ['[{"a":1},{"a":1}]', 'accepted'],
    ['{"a":{"a":{"a":1}}}', 'accepted'],
    ['{"name":1,"Name":2}', 'accepted'],
    ['{"a":1e400}', 'number_too_large'],
    ['[0,[-1e400]]', 'number_too_large'],
    ['1e309', 'number_too_large'],
    [`{"a":${'9'.repeat(310)}}`, 'number_too_large'],
    ['{"a":1e308,"b":-1e-400,"c":"1e400"}', 'accepted'],
    ['', 'malformed'],
    ['{"a":1', 'malformed'],
    ['"open', 'malformed'],
    ['\uFEFF{}', 'malformed'],
    ['}}}}', 'malformed'],
  ])('%s is %s', (text, reason) => {
    expect(reasonOf(text)).toBe(reason)
  })

  test('a key called __proto__ stays a plain own key and touches no prototype', () => {
    const value = parseStrictJson('{"__proto__":{"admin":true},"x":1}') as Record<string, unknown>
    expect(Object.keys(value)).toEqual(['__proto__', 'x'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(value.admin).toBeUndefined()
  })

  test('allows the depth limit and refuses one more, even in a text that goes on wrongly', () => {
    expect(reasonOf(nest(MAX_JSON_DEPTH))).toBe('accepted')
    expect(reasonOf(nest(MAX_JSON_DEPTH + 1))).toBe('too_deep')
    expect(reasonOf('{"a":'.repeat(MAX_JSON_DEPTH + 1))).toBe('too_deep')
    expect(reasonOf(`"${'['.repeat(1000)}"`)).toBe('accepted')
  })

  test('never quotes the text it refuses', () => {
    expect(() => parseStrictJson('{"password":"hunter2"')).toThrow(/^JSON refused: malformed$/)
  })

  test.each(['\\\\', '\\"', '\\u0022'])('takes a string of four hundred thousand %s', (escape) => {
    expect(reasonOf(`"${escape.repeat(400_000)}"`)).toBe('accepted')
  })
})

function canParse(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function nest(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth)
}
