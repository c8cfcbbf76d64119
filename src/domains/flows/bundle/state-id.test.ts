import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verifies } from '../../../../test/requirements/verifies.ts'
import { hostileBundle } from './arbitrary-bundle.fixture.ts'
import type { FlowBundle } from './flow-record.ts'
import { sampleBundle } from './sample-bundle.fixture.ts'
import { ABSENT_FLOW_STATE_ID, flowStateId, fnv1a64, stableStringify } from './state-id.ts'

const encode = (text: string) => new TextEncoder().encode(text)

test('published FNV-1a vectors', () => {
  expect(fnv1a64(encode(''))).toBe('cbf29ce484222325')
  expect(fnv1a64(encode('a'))).toBe('af63dc4c8601ec8c')
  expect(fnv1a64(encode('foobar'))).toBe('85944171f73967e8')
})

test('agrees with plain 64-bit arithmetic on any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(fnv1a64(bytes)).toBe(slowFnv(bytes))
    }),
  )
})

test('the absent flow has the id of one zero byte', () => {
  expect(ABSENT_FLOW_STATE_ID).toBe('flowst1_af63bd4c8601b7df')
})

test('sorts keys at every depth and reads undefined as null', () => {
  expect(stableStringify({ b: [1, undefined], a: { d: null, c: undefined } })).toBe(
    '{"a":{"c":null,"d":null},"b":[1,null]}',
  )
})

verifies('FLOW-064', 'the state id is FNV-1a-64 over the key-sorted canonical flow and steps', () => {
  const starter = new URL('../../../../flows/starter/flow_research_brief.json', import.meta.url)
  const { flow, steps } = JSON.parse(readFileSync(starter, 'utf8')) as FlowBundle
  // The starter files spell out every field, so sorting their keys gives the canonical text.
  const sorted = JSON.stringify({ flow, steps }, (_, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
  expect(flowStateId(flow, steps)).toBe(`flowst1_${slowFnv(encode(sorted))}`)
  expect(flowStateId(flow, steps)).toMatch(/^flowst1_[0-9a-f]{16}$/)
})

test('does not depend on the order of steps or keys, nor on defaults being spelled out', () => {
  const { flow, steps } = sampleBundle(3)
  const { tags: _tags, inputs: _inputs, vault_mirror_path: _path, ...bare } = flow
  const spelled = { ...flow, tags: [], inputs: [], vault_mirror_path: null }
  expect(flowStateId(bare, steps.toReversed())).toBe(flowStateId(spelled, steps))
  const reversedKeys = Object.fromEntries(Object.entries(flow).toReversed()) as typeof flow
  expect(flowStateId(reversedKeys, steps)).toBe(flowStateId(flow, steps))
})

test('any changed text changes the id', () => {
  fc.assert(
    fc.property(hostileBundle, ({ flow, steps }) => {
      const before = flowStateId(flow, steps)
      expect(flowStateId({ ...flow, summary: `${flow.summary}.` }, steps)).not.toBe(before)
    }),
    { numRuns: 50 },
  )
})

function slowFnv(bytes: Uint8Array): string {
  let hash = 0xcbf29ce484222325n
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return hash.toString(16).padStart(16, '0')
}
