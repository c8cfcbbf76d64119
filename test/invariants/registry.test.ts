import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allOperations } from '../../src/domains/index.ts'
import { type Authority, hubOwner, vaultMember } from '../../src/operations/authority.ts'
import { defineOperation } from '../../src/operations/define-operation.ts'
import { buildRegistry } from '../../src/operations/registry.ts'
import { sampleOperation } from './sample-operation.ts'

describe('a registry is not built', () => {
  const other = { name: 'other_read', rest: 'GET /api/v1/others/{sample_id}', cli: 'other get <sample_id>' }
  const other_authority = { kind: 'member', needs: 'read', otherwise: 'NO_SUCH_CODE' } as const

  test.each([
    [
      'two operations have one name',
      [sampleOperation(), sampleOperation({ ...other, name: 'sample_read' })],
      'the name',
    ],
    [
      'two operations have one route, whatever its parameters are called',
      [
        sampleOperation(),
        sampleOperation({
          ...other,
          rest: 'GET /api/v1/samples/{other_id}',
          input: z.strictObject({ sample_id: z.string(), other_id: z.string() }),
        }),
      ],
      'the route',
    ],
    [
      'two operations have one command',
      [sampleOperation(), sampleOperation({ ...other, cli: 'sample get' })],
      'the command',
    ],
    [
      'an authority is missing',
      [sampleOperation({ authority: undefined as unknown as Authority })],
      'no authority',
    ],
    [
      'an authority is of no known kind',
      [sampleOperation({ authority: { kind: 'anyone' } as unknown as Authority })],
      'no authority',
    ],
    [
      'the code of an authority is not declared',
      [sampleOperation({ authority: other_authority })],
      'NO_SUCH_CODE',
    ],
    [
      'the code of a gate is not declared',
      [sampleOperation({ gate: { flag: 'FLOW_AUTHORING_WRITES', whenOff: 'NO_SUCH_CODE' } })],
      'NO_SUCH_CODE',
    ],
    [
      'the code for a wrong input is not declared',
      [sampleOperation({ whenInvalid: 'NO_SUCH_CODE' })],
      'NO_SUCH_CODE',
    ],
    [
      "an owner's operation is an MCP tool",
      [sampleOperation({ authority: hubOwner() })],
      'cannot be an MCP tool',
    ],
    ['a name is not snake case', [sampleOperation({ name: 'sampleRead' })], 'snake case'],
    ['a route names what is no input', [sampleOperation({ rest: 'GET /api/v1/samples/{stray}' })], 'stray'],
    ['a command names what is no input', [sampleOperation({ cli: 'sample get <stray>' })], 'stray'],
  ])('when %s', (_name, operations, fault) => {
    expect(() => buildRegistry(operations)).toThrow(fault)
  })

  test('and else it is', () => {
    expect([...buildRegistry([sampleOperation(), sampleOperation(other)]).keys()]).toEqual([
      'sample_read',
      'other_read',
    ])
  })
})

test("the compiler refuses an MCP binding on an owner's operation", () => {
  const declaration = {
    name: 'sample_read',
    summary: 'Read nothing in particular.',
    effect: 'read',
    errors: {},
    input: z.strictObject({}),
    output: z.strictObject({}),
    handle: async () => ({}),
  } as const
  // @ts-expect-error: what is the owner's is never a tool
  const wrong = defineOperation({ ...declaration, authority: hubOwner(), mcp: true })
  expect(() => buildRegistry([wrong])).toThrow('cannot be an MCP tool')
  expect(defineOperation({ ...declaration, authority: vaultMember('read'), mcp: true }).mcp).toBe(true)
})

describe.each(allOperations.map((operation) => [operation.name, operation] as const))(
  '%s',
  (_name, operation) => {
    test('has a summary of one sentence or a few, for people', () => {
      expect(operation.summary).toMatch(/^[A-Z][^\n]{15,200}\.$/)
    })

    test('is reachable somewhere', () => {
      expect(
        [operation.rest, operation.mcp || undefined, operation.cli].some((way) => way !== undefined),
      ).toBe(true)
    })

    test('has a verb and a path that fit its effect', () => {
      if (!operation.rest) return
      // Tools are called alike, whatever they do.
      if (operation.authority.kind === 'seat') {
        expect(operation.rest).toBe(`POST /api/v1/tools/${operation.name}`)
        return
      }
      const [method = '', path = ''] = operation.rest.split(' ')
      const fitting = {
        read: ['GET', 'POST'],
        create: ['POST'],
        update: ['PUT', 'PATCH', 'POST'],
        delete: ['DELETE'],
      }
      expect(fitting[operation.effect]).toContain(method)
      // What only a session opens has its own beginning.
      expect(path).toMatch(/^((\/api)?\/v1|\/_ref)(\/([a-z][a-z-]*|\{[a-z_]+\}))+$/)
    })

    test('reads by POST only what a query cannot carry', () => {
      if (operation.effect !== 'read' || !operation.rest?.startsWith('POST ')) return
      if (operation.authority.kind === 'seat') return
      const { properties } = z.toJSONSchema(operation.input, { io: 'input' })
      const parts = Object.values(properties ?? {}) as { type?: string; maxLength?: number }[]
      const isLong = ({ type, maxLength = 0 }: (typeof parts)[0]) => type === 'string' && maxLength > 100_000
      expect(parts.some((part) => part.type === 'object' || isLong(part))).toBe(true)
    })

    test('is idempotent when it reads or deletes', () => {
      if (operation.effect === 'read' || operation.effect === 'delete')
        expect(operation.idempotent).toBe(true)
    })

    test('takes no vault, role or caller from its input', () => {
      const bound = ['vault', 'vault_id', 'caller', 'caller_id', 'actor', 'user', 'user_id']
      expect(Object.keys(operation.input.shape).filter((key) => bound.includes(key))).toEqual([])
    })
  },
)
