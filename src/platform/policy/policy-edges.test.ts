import { describe, expect, test } from 'vitest'
import { BoundaryPolicy, Engines } from './engine-policy.ts'
import { VaultPolicy } from './vault-policy.ts'

const many = (count: number, of = (at: number) => `x${at}`) =>
  Array.from({ length: count }, (_, at) => of(at))
const long = (count: number) => 'x'.repeat(count)
const command = (more: object) => ({ engine: { kind: 'command', command: ['/bin/true'], ...more } })
const http = (more: object) => ({
  engine: { kind: 'http', url: 'https://example.org', secret: 'env:KEY', ...more },
})
const address = (at: number) => `10.0.0.${at}`
const tools = (allowed_tools: unknown[]) => ({ external_agent: { allowed_tools } })
const grants = (more: object) => ({ external_agent: more })

type Edge = [
  what: string,
  schema: { safeParse(value: unknown): { success: boolean } },
  good: unknown,
  bad: unknown,
]

/** What stands in an owner's file counts up to its limit, and one more makes the whole file damaged. */
const EDGES: Edge[] = [
  ['words of a command', Engines, command({ command: many(64) }), command({ command: many(65) })],
  ['a command at all', Engines, command({}), command({ command: [] })],
  ['a word', Engines, command({ command: [long(4_096)] }), command({ command: [long(4_097)] })],
  ['an empty word', Engines, command({ command: ['x'] }), command({ command: [''] })],
  [
    'files to read',
    Engines,
    command({ read: many(64, (at) => `/${at}`) }),
    command({ read: many(65, (at) => `/${at}`) }),
  ],
  ['tenants', Engines, command({ tenants: many(1_000) }), command({ tenants: many(1_001) })],
  ['robots', Engines, http({ robots: many(1_000) }), http({ robots: many(1_001) })],
  ['least memory', Engines, command({ memory_mb: 16 }), command({ memory_mb: 15 })],
  ['most memory', Engines, command({ memory_mb: 65_536 }), command({ memory_mb: 65_537 })],
  ['least time', Engines, command({ timeout_seconds: 1 }), command({ timeout_seconds: 0.999 })],
  ['most time', Engines, command({ timeout_seconds: 3_600 }), command({ timeout_seconds: 3_600.001 })],
  ['least output', Engines, http({ max_output_bytes: 1 }), http({ max_output_bytes: 0 })],
  ['most output', Engines, http({ max_output_bytes: 8_388_608 }), http({ max_output_bytes: 8_388_609 })],
  [
    'addresses',
    Engines,
    http({ allow_addresses: many(64, address) }),
    http({ allow_addresses: many(65, address) }),
  ],
  [
    'clear text to this machine only',
    Engines,
    http({ url: 'http://127.0.0.1' }),
    http({ url: 'http://10.0.0.1' }),
  ],
  [
    'engines',
    Engines,
    Object.fromEntries(many(100).map((name) => [name, command({}).engine])),
    Object.fromEntries(many(101).map((name) => [name, command({}).engine])),
  ],
  [
    'age of a snapshot',
    BoundaryPolicy,
    { stale_after_seconds: 31_536_000 },
    { stale_after_seconds: 31_536_001 },
  ],
  ['no age', BoundaryPolicy, { stale_after_seconds: 1 }, { stale_after_seconds: 0 }],
  ['tools', VaultPolicy, tools(many(1_000)), tools(many(1_001))],
  ['the id of a tool', VaultPolicy, tools([long(256)]), tools([long(257)])],
  ['an empty id', VaultPolicy, tools(['x']), tools([''])],
  ['ids of dots', VaultPolicy, tools(['...']), tools(['.'])],
  ['ids of two dots', VaultPolicy, tools(['a', 'b']), tools(['a', '..'])],
  ['one tool twice', VaultPolicy, tools(['a', { id: 'b' }]), tools(['a', { id: 'a' }])],
  [
    'a description',
    VaultPolicy,
    tools([{ id: 'a', description: long(10_000) }]),
    tools([{ id: 'a', description: long(10_001) }]),
  ],
  [
    'exceptions',
    VaultPolicy,
    tools([{ id: 'a', redaction_exceptions: many(100) }]),
    tools([{ id: 'a', redaction_exceptions: many(101) }]),
  ],
  [
    'calls',
    VaultPolicy,
    grants({ max_invocations: 1_000_000_000 }),
    grants({ max_invocations: 1_000_000_001 }),
  ],
  ['live grants', VaultPolicy, grants({ max_live_grants: 0 }), grants({ max_live_grants: -1 })],
]

test.each(EDGES)('%s: the last that counts, and the first that does not', (_what, schema, good, bad) => {
  expect(schema.safeParse(good).success).toBe(true)
  expect(schema.safeParse(bad).success).toBe(false)
})

describe('what an owner leaves out', () => {
  test('is as the documents say', () => {
    expect(Engines.parse(command({})).engine).toMatchObject({
      timeout_seconds: 60,
      max_output_bytes: 1_048_576,
      memory_mb: 1_024,
      read: [],
    })
    expect(VaultPolicy.parse(grants({ import_policy: 'strip_inert' })).external_agent?.import_policy).toBe(
      'strip_inert',
    )
    expect(VaultPolicy.parse(grants({ import_policy: true })).external_agent?.import_policy).toBe('reject')
  })
})
