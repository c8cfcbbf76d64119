import fc from 'fast-check'
import { BASE, ENVELOPE, type Exchange, LEGACY, META, MODERN, without } from './fast-path-cases.fixture.ts'

/** Mostly right, now and then wrong, in each part on its own. */
export function anyExchange(): fc.Arbitrary<Exchange> {
  const id = often(fc.oneof(fc.integer(), fc.string(), fc.string({ unit: 'grapheme' })), fc.jsonValue())
  const name = often(fc.constantFrom('echo', 'refuse', 'throw', 'pretty'), fc.stringMatching(/^[ -~]{0,12}$/))
  const args = often(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), fc.jsonValue())
  const method = often(
    fc.constantFrom('tools/call', 'tools/list', 'ping'),
    fc.constantFrom('no/such', 'prompts/list'),
  )
  const meta = often(
    fc.constant({}),
    fc.dictionary(fc.constantFrom('progressToken', 'x', `${META}x`), fc.jsonValue()),
  )
  const extra = often(fc.constant({}), fc.dictionary(fc.constantFrom('cursor', 'task', 'a'), fc.jsonValue()))
  const version = often(
    fc.constantFrom(...LEGACY, MODERN),
    fc.constantFrom('2024-11-05', '2023-01-01', 'x', ''),
  )
  const claim = often(fc.constant('same' as const), fc.constantFrom('none', 'other'))
  const parts = fc.record({ id, name, args, method, meta, extra, version, claim })
  const drop = often(
    fc.constant(''),
    fc.constantFrom('accept', 'mcp-name', 'mcp-method', 'mcp-protocol-version'),
  )
  return fc.tuple(parts, drop).map(([made, dropped]) => without(assemble(made), dropped))
}

function often<T, U>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<U>): fc.Arbitrary<T | U> {
  return fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: rare })
}

interface Parts {
  id: unknown
  name: string
  args: unknown
  method: string
  meta: object
  extra: object
  version: string
  claim: 'same' | 'none' | 'other'
}

function assemble({ id, name, args, method, meta, extra, version, claim }: Parts): Exchange {
  const isModern = (version === MODERN) === (claim !== 'other') && claim !== 'none'
  const _meta = isModern ? { ...ENVELOPE, ...meta } : meta
  const call = method === 'tools/call' ? { name, arguments: args } : {}
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...call, ...extra, _meta } })
  const headers = { ...BASE, 'mcp-protocol-version': version, 'mcp-method': method, 'mcp-name': name }
  return { headers, body }
}
