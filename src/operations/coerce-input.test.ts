import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { choicesOf, coerceText, isOptional, textKind } from './coerce-input.ts'

describe('coerceText', () => {
  test.each([
    [z.string(), '12', '12'],
    [z.int(), '12', 12],
    [z.number().optional(), '-1.5', -1.5],
    [z.int().default(3), '7', 7],
    [z.boolean().optional(), 'true', true],
    [z.boolean(), 'false', false],
    [z.enum(['a', 'b']).nullable(), 'a', 'a'],
    [z.array(z.string()), 'a,b', ['a', 'b']],
    [z.array(z.int()), '1,2', [1, 2]],
    [z.array(z.string()), '["a,b"]', ['a,b']],
    [z.array(z.string()), '', []],
    [z.looseObject({}), '{"a":1}', { a: 1 }],
    [z.record(z.string(), z.int()), '{"a":1}', { a: 1 }],
  ])('reads a text as the type of its schema (%#)', (schema, text, value) => {
    expect(coerceText(schema, text)).toEqual(value)
  })

  test.each([
    [z.int(), '1e3'],
    [z.int(), ''],
    [z.int(), '0x10'],
    [z.number(), 'NaN'],
    [z.number(), '9'.repeat(400)],
    [z.boolean(), 'yes'],
    [z.looseObject({}), '{"a":1,"a":2}'],
    [z.array(z.string()), '[oops'],
  ])('leaves what it cannot read for the schema to refuse (%#)', (schema, text) => {
    expect(coerceText(schema, text)).toBe(text)
    expect(schema.safeParse(coerceText(schema, text)).success).toBe(false)
  })
})

test('textKind looks through what only makes a value optional', () => {
  expect(textKind(z.array(z.string()).optional())).toBe('list')
  expect(textKind(z.array(z.strictObject({})).optional())).toBe('json')
  expect(textKind(z.strictObject({}).prefault({}))).toBe('json')
  expect(textKind(z.string().trim().optional().describe('x'))).toBe('text')
})

test('choicesOf and isOptional', () => {
  expect(choicesOf(z.enum(['a', 'b']).optional())).toEqual(['a', 'b'])
  expect(choicesOf(z.string())).toBeUndefined()
  expect(isOptional(z.string().default('x'))).toBe(true)
  expect(isOptional(z.string().nullable())).toBe(false)
})
