import { describe, expect, test } from 'vitest'
import { compilePayloadCheck } from './payload-schema.ts'

const message = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] }

const named = () => ({ $id: 'https://example.test/a', $defs: { b: { $id: 'b', type: 'string' } } })

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

  test('a schema is compiled once, and one schema knows nothing of another', () => {
    expect(compilePayloadCheck(message)).toBe(compilePayloadCheck(message))
    expect(compilePayloadCheck(named())('x')).toBe(true)
    expect(compilePayloadCheck({ ...named(), type: 'number' })('x')).toBe(false)
    expect(() => compilePayloadCheck({ $ref: 'https://example.test/b' })).toThrow()
  })
})
