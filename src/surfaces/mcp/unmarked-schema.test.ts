import { expect, test } from 'vitest'
import { unmarkedSchema } from './unmarked-schema.ts'

const REGION = { type: 'string', 'x-mcp-header': 'Region' }
const PLAIN = { type: 'string' }

test.each([
  ['of an argument', { properties: { region: REGION } }, { properties: { region: PLAIN } }],
  [
    'further down',
    {
      properties: { at: { type: 'object', properties: { region: REGION } } },
      anyOf: [{ properties: { r: REGION } }],
    },
    {
      properties: { at: { type: 'object', properties: { region: PLAIN } } },
      anyOf: [{ properties: { r: PLAIN } }],
    },
  ],
  [
    'of an argument that is called properties',
    { properties: { properties: REGION } },
    { properties: { properties: PLAIN } },
  ],
])('a mark %s is taken out', (_name, marked, plain) => {
  expect(unmarkedSchema(marked)).toEqual(plain)
})

test('an argument of that name stays, and so does a schema without marks', () => {
  const named = { properties: { 'x-mcp-header': { type: 'string' } }, required: ['x-mcp-header'] }
  expect(unmarkedSchema(named)).toEqual(named)
  const plain = { properties: { region: PLAIN } }
  expect(unmarkedSchema(plain)).toBe(plain)
})
