import { describe, expect, test } from 'vitest'
import { compilePayloadCheck } from './payload-schema.ts'

const message = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] }

const named = () => ({ $id: 'https://example.test/a', $defs: { b: { $id: 'b', type: 'string' } } })

/** A node of a tree, of one kind. */
const nodeOf = (type: string) => ({
  allOf: [{ $ref: '#/$defs/node' }, { properties: { type: { const: type } }, required: ['type'] }],
})

describe('compilePayloadCheck', () => {
  test.each<[object, unknown, boolean]>([
    [message, { message: 'hello' }, true],
    [message, { message: 1 }, false],
    [message, {}, false],
    [message, null, false],
    [message, [], false],
    [{ ...message, required: ['toString'] }, {}, false],
    [{ type: 'array', prefixItems: [{ type: 'string' }], items: false }, ['a'], true],
    [{ type: 'array', prefixItems: [{ type: 'string' }], items: false }, ['a', 'b'], false],
    [
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        items: [{ type: 'string' }],
        additionalItems: false,
      },
      ['a'],
      true,
    ],
    [
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        items: [{ type: 'string' }],
        additionalItems: false,
      },
      ['a', 1],
      false,
    ],
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'string' }, 'a', true],
    [{ $defs: { id: { type: 'integer' } }, properties: { a: { $ref: '#/$defs/id' } } }, { a: 1.5 }, false],
    [{ pattern: '^(a+)+$' }, 'aaa', true],
    [{ pattern: '^(a+)+$' }, `${'a'.repeat(5000)}!`, false],
    [{ properties: { a: { pattern: '^x' }, b: { pattern: '^y' } } }, { a: 'x', b: 'y' }, true],
    [{ properties: { a: { pattern: '^x' }, b: { pattern: '^y' } } }, { a: 'x', b: 'x' }, false],
    [{ patternProperties: { '^n_': { type: 'number' } }, additionalProperties: false }, { n_a: 1 }, true],
    [{ patternProperties: { '^n_': { type: 'number' } }, additionalProperties: false }, { m_a: 1 }, false],
    [{ format: 'email', 'x-note': true }, 'anything', true],
    [{ $ref: '#' }, {}, false],
    [{ properties: { in: { $ref: '#' } }, required: ['n'] }, { n: 1, in: { n: 2 } }, true],
    [{ properties: { in: { $ref: '#' } }, required: ['n'] }, { n: 1, in: {} }, false],
    [{ const: { $ref: '#' } }, { $ref: '#' }, true],
    [{ properties: { $ref: { type: 'string' } }, additionalProperties: false }, { $ref: 'x' }, true],
    [{ uniqueItems: true }, [1, '1', true, null, [1], { a: 1 }, { a: '1' }, { a: 1, b: 2 }], true],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      false,
    ],
    [{ uniqueItems: true }, [0, -0], false],
    [{ uniqueItems: false }, [1, 1], true],
  ])('%j of %j: %s', (schema, payload, accepted) => {
    expect(compilePayloadCheck(schema)(payload)).toBe(accepted)
  })

  test.each<[string, object]>([
    ['an unknown type', { type: 'text' }],
    ['a wrong keyword value', { required: 'message' }],
    ['a reference out of the schema', { $ref: 'https://example.test/schema.json' }],
    ['a reference to nothing', { $ref: '#/$defs/none' }],
    ['an unknown dialect', { $schema: 'https://example.test/dialect' }],
    ['a malformed pattern', { pattern: '(' }],
    ['a pattern with a lookahead', { properties: { a: { pattern: '(?=a)' } } }],
    ['a name pattern with a back-reference', { patternProperties: { '(a)\\1': true } }],
    ['too much text', { description: 'x'.repeat(70_000) }],
    [
      'too many references',
      { allOf: Array.from({ length: 40 }, () => ({ $ref: '#/$defs/a' })), $defs: { a: true } },
    ],
    ['too much depth', JSON.parse(`${'{"not":'.repeat(60)}{}${'}'.repeat(60)}`)],
  ])('refuses %s', (_, schema) => {
    expect(() => compilePayloadCheck(schema)).toThrow()
  })

  // Each kind of node is tried with all that is below it, and there are two kinds.
  test.each(['children', 'default'])(
    'a payload that leads through twice as many %s with each level is not accepted',
    (below) => {
      const node = { properties: { [below]: { items: { oneOf: [nodeOf('leaf'), nodeOf('branch')] } } } }
      const check = compilePayloadCheck({ $ref: '#/$defs/node', $defs: { node } })
      let tree: object = { type: 'branch' }
      const grow = (levels: number) => {
        for (let level = 0; level < levels; level++) tree = { type: 'branch', [below]: [tree] }
        return check(tree)
      }
      expect(grow(12)).toBe(true)
      expect(grow(10)).toBe(false)
      expect(
        check({ type: 'branch', [below]: Array.from({ length: 1_000 }, () => ({ type: 'leaf' })) }),
      ).toBe(true)
    },
  )

  test('items are not compared each with each', () => {
    let looks = 0
    const items = Array.from({ length: 500 }, (_, id) => ({
      get id() {
        looks++
        return id
      },
    }))
    expect(compilePayloadCheck({ items: { type: 'object' }, uniqueItems: true })(items)).toBe(true)
    expect(looks).toBeLessThan(5_000)
  })

  test('a schema is compiled once, and one schema knows nothing of another', () => {
    expect(compilePayloadCheck(message)).toBe(compilePayloadCheck(message))
    expect(compilePayloadCheck(named())('x')).toBe(true)
    expect(compilePayloadCheck({ ...named(), type: 'number' })('x')).toBe(false)
    expect(() => compilePayloadCheck({ $ref: 'https://example.test/b' })).toThrow()
  })
})
