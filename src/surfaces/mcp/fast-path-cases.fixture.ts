/** Requests by hand: the plain ones the fast path is for, and ones odd in one way each. */

export const LEGACY = ['2025-06-18', '2025-11-25'] as const
export const MODERN = '2026-07-28'
export const META = 'io.modelcontextprotocol/'
const CLIENT = { name: 'probe', version: '9' }

export type Headers = Record<string, string | string[]>
export interface Exchange {
  headers: Headers
  body: string
  method?: string
}

export const BASE: Headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

export function legacy(
  method: string,
  params?: unknown,
  version: string | undefined = LEGACY[0],
  id: unknown = 1,
): Exchange {
  const headers = version === undefined ? BASE : { ...BASE, 'mcp-protocol-version': version }
  return { headers, body: JSON.stringify({ jsonrpc: '2.0', id, method, params }) }
}

export const ENVELOPE = {
  [`${META}protocolVersion`]: MODERN,
  [`${META}clientCapabilities`]: {},
  [`${META}clientInfo`]: CLIENT,
}

export function modern(
  method: string,
  params: Record<string, unknown> = {},
  more: Headers = {},
  id: unknown = 1,
): Exchange {
  const headers: Headers = { ...BASE, 'mcp-protocol-version': MODERN, 'mcp-method': method }
  if (method === 'tools/call' && typeof params.name === 'string') headers['mcp-name'] = params.name
  const body = { jsonrpc: '2.0', id, method, params: { _meta: ENVELOPE, ...params } }
  return { headers: { ...headers, ...more }, body: JSON.stringify(body) }
}

export function without(sent: Exchange, ...names: string[]): Exchange {
  const kept = Object.entries(sent.headers).filter(([name]) => !names.includes(name))
  return { ...sent, headers: Object.fromEntries(kept) }
}

const handshake = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: CLIENT }
const richCapabilities = {
  roots: { listChanged: true },
  sampling: {},
  elicitation: { form: {}, url: {} },
  experimental: { x: { y: 1 } },
}

/** Requests the fast path is for: it must both take them and answer as the SDK does. */
export const PLAIN: [string, Exchange][] = [
  ...LEGACY.flatMap((version): [string, Exchange][] => [
    [`initialize ${version}`, legacy('initialize', { ...handshake, protocolVersion: version }, undefined)],
    [
      `initialize ${version} with header`,
      legacy('initialize', { ...handshake, protocolVersion: version }, version),
    ],
    [`ping ${version}`, legacy('ping', undefined, version)],
    [`ping {} ${version}`, legacy('ping', {}, version)],
    [`tools/list ${version}`, legacy('tools/list', undefined, version)],
    [`tools/list {} ${version}`, legacy('tools/list', {}, version)],
    [`echo ${version}`, legacy('tools/call', { name: 'echo', arguments: { text: 'hé\n"✓"' } }, version)],
    [`echo without arguments ${version}`, legacy('tools/call', { name: 'echo' }, version)],
    [`refuse ${version}`, legacy('tools/call', { name: 'refuse', arguments: {} }, version)],
    [`throw ${version}`, legacy('tools/call', { name: 'throw', arguments: {} }, version)],
    [`unknown ${version}`, legacy('tools/call', { name: 'no "such"\ntool', arguments: {} }, version)],
    [
      `progressToken ${version}`,
      legacy('tools/call', { name: 'echo', _meta: { progressToken: 3 } }, version),
    ],
    [`own _meta ${version}`, legacy('tools/list', { _meta: { progressToken: 'p', 'x/y': [1] } }, version)],
  ]),
  ['no version header', legacy('tools/call', { name: 'echo', arguments: {} }, undefined)],
  ['older version', legacy('tools/list', {}, '2024-11-05')],
  [
    'initialize unknown version',
    legacy('initialize', { ...handshake, protocolVersion: '1999-01-01' }, undefined),
  ],
  ['initialize 2026', legacy('initialize', { ...handshake, protocolVersion: MODERN }, undefined)],
  ['initialize rich', legacy('initialize', { ...handshake, capabilities: richCapabilities }, undefined)],
  ['charset', { ...legacy('ping'), headers: { ...BASE, 'content-type': 'application/json; charset=utf-8' } }],
  ['pretty body', legacy('tools/call', { name: 'pretty', arguments: { a: [1, { b: 2 }] } })],
  [
    '__proto__ argument',
    { headers: BASE, body: callText('"name":"echo","arguments":{"__proto__":{"a":1}}') },
  ],
  ['constructor argument', { headers: BASE, body: callText('"name":"echo","arguments":{"constructor":1}') }],
  ['modern tools/list', modern('tools/list')],
  ['modern echo', modern('tools/call', { name: 'echo', arguments: { text: 'x', n: [1.5, null] } })],
  ['modern echo without arguments', modern('tools/call', { name: 'echo' })],
  ['modern pretty', modern('tools/call', { name: 'pretty', arguments: { a: 1 } })],
  ['modern refuse', modern('tools/call', { name: 'refuse', arguments: {} })],
  ['modern throw', modern('tools/call', { name: 'throw', arguments: {} })],
  ['modern unknown', modern('tools/call', { name: 'nothing', arguments: {} })],
  ['modern accept json only', modern('tools/list', {}, { accept: 'application/json' })],
  ['modern no accept', without(modern('tools/list'), 'accept')],
  [
    'modern rich',
    modern('tools/list', { _meta: { ...ENVELOPE, [`${META}clientCapabilities`]: richCapabilities } }),
  ],
  [
    'modern token',
    modern('tools/call', { name: 'echo', _meta: { ...ENVELOPE, progressToken: 1, traceparent: 'x' } }),
  ],
  ['modern log level', modern('tools/list', { _meta: { ...ENVELOPE, [`${META}logLevel`]: 'info' } })],
  ['modern no clientInfo', modern('tools/list', { _meta: omit(ENVELOPE, `${META}clientInfo`) })],
  ...[0, -1, -0, 2 ** 53 - 1, '', 'ü✓', '"\\\u2028', 'a'.repeat(500)].flatMap((id): [string, Exchange][] => [
    [`id ${JSON.stringify(id).slice(0, 20)}`, legacy('ping', {}, LEGACY[0], id)],
    [`modern id ${JSON.stringify(id).slice(0, 20)}`, modern('tools/list', {}, {}, id)],
  ]),
]

/** Requests that are odd in one way: the SDK must decide, so both answer alike. */
export const ODD: [string, Exchange][] = [
  ['GET', { method: 'GET', headers: BASE, body: '' }],
  ['DELETE', { method: 'DELETE', headers: BASE, body: '' }],
  ['initialized', notification('notifications/initialized')],
  ['cancelled', notification('notifications/cancelled', { requestId: 1 })],
  ['notification tools/call', notification('tools/call', { name: 'echo' })],
  ['null body', { headers: BASE, body: 'null' }],
  ['string body', { headers: BASE, body: '"tools/list"' }],
  ['response', { headers: BASE, body: '{"jsonrpc":"2.0","id":1,"result":{}}' }],
  ...[1.5, 2 ** 53, null, true, {}, []].map((id): [string, Exchange] => [
    `id ${JSON.stringify(id)}`,
    legacy('ping', {}, LEGACY[0], id),
  ]),
  ['no jsonrpc', { headers: BASE, body: '{"id":1,"method":"ping"}' }],
  ['jsonrpc 1.0', { headers: BASE, body: '{"jsonrpc":"1.0","id":1,"method":"ping"}' }],
  ['extra key', { headers: BASE, body: '{"jsonrpc":"2.0","id":1,"method":"ping","extra":1}' }],
  ['own __proto__', { headers: BASE, body: '{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{}}' }],
  ['method number', { headers: BASE, body: '{"jsonrpc":"2.0","id":1,"method":7}' }],
  ['unknown method', legacy('no/such')],
  ['prompts/list', legacy('prompts/list')],
  ['server/discover claimless', legacy('server/discover')],
  ['params null', { headers: BASE, body: '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}' }],
  ['params array', legacy('tools/list', [])],
  ['call without params', legacy('tools/call')],
  ['call without name', legacy('tools/call', { arguments: {} })],
  ['name number', legacy('tools/call', { name: 5 })],
  ['arguments array', legacy('tools/call', { name: 'echo', arguments: [1] })],
  ['arguments null', legacy('tools/call', { name: 'echo', arguments: null })],
  ['arguments string', legacy('tools/call', { name: 'echo', arguments: 'x' })],
  ['task', legacy('tools/call', { name: 'echo', task: { ttl: 1 } })],
  ['extra param', legacy('tools/call', { name: 'echo', more: 1 })],
  ['requestState', legacy('tools/call', { name: 'echo', requestState: 's' })],
  ['cursor', legacy('tools/list', { cursor: 'abc' })],
  ['cursor number', legacy('tools/list', { cursor: 3 })],
  ['_meta null', legacy('tools/list', { _meta: null })],
  ['_meta array', legacy('tools/list', { _meta: [] })],
  ['progressToken 1.5', legacy('tools/list', { _meta: { progressToken: 1.5 } })],
  ['progressToken null', legacy('tools/call', { name: 'echo', _meta: { progressToken: null } })],
  ['related task', legacy('tools/call', { name: 'echo', _meta: { [`${META}related-task`]: 3 } })],
  ['claim of 2025', legacy('tools/list', { _meta: { [`${META}protocolVersion`]: '2025-06-18' } })],
  ['claim without header', { ...modern('tools/list'), headers: BASE }],
  ['unknown version header', legacy('tools/list', {}, '2023-01-01')],
  ['future version header', legacy('tools/list', {}, '2030-01-01')],
  ['version with spaces', legacy('tools/list', {}, ' 2025-06-18 ')],
  [
    'version twice',
    { ...legacy('ping'), headers: { ...BASE, 'mcp-protocol-version': ['2025-06-18', '2025-06-18'] } },
  ],
  ['initialize no params', legacy('initialize')],
  ['initialize no clientInfo', legacy('initialize', { protocolVersion: '2025-06-18', capabilities: {} })],
  ['initialize bad capabilities', legacy('initialize', { ...handshake, capabilities: { roots: 1 } })],
  ['initialize bad version', legacy('initialize', { ...handshake, protocolVersion: 3 })],
  ['initialize _meta', legacy('initialize', { ...handshake, _meta: {} })],
  ['initialize modern header', legacy('initialize', handshake, MODERN)],
  ['initialize unknown header', legacy('initialize', handshake, '2023-01-01')],
  ...['application/json', 'text/event-stream', '*/*', 'text/html'].map((accept): [string, Exchange] => [
    `accept ${accept}`,
    { ...legacy('tools/list'), headers: { ...BASE, accept } },
  ]),
  ['no accept', without(legacy('tools/call', { name: 'echo' }), 'accept')],
  [
    'accept with q',
    { ...legacy('ping'), headers: { ...BASE, accept: 'application/json;q=1,text/event-stream' } },
  ],
  ['text/plain', { ...legacy('ping'), headers: { ...BASE, 'content-type': 'text/plain' } }],
  ['no content-type', without(legacy('ping'), 'content-type')],
  ['Application/JSON', { ...legacy('ping'), headers: { ...BASE, 'content-type': 'Application/JSON' } }],
  ['modern ping', modern('ping')],
  ['modern initialize', modern('initialize', handshake)],
  ['modern discover', modern('server/discover')],
  ['modern unknown method', modern('no/such')],
  // What it listens to is not offered, so it ends at once.
  ['modern listen', modern('subscriptions/listen', { notifications: { promptsListChanged: true } })],
  ['modern no method header', without(modern('tools/list'), 'mcp-method')],
  ['modern wrong method header', modern('tools/list', {}, { 'mcp-method': 'tools/call' })],
  ['modern method header case', modern('tools/list', {}, { 'mcp-method': 'Tools/List' })],
  ['modern no name header', without(modern('tools/call', { name: 'echo' }), 'mcp-name')],
  ['modern wrong name header', modern('tools/call', { name: 'echo' }, { 'mcp-name': 'refuse' })],
  ['modern name header for list', modern('tools/list', {}, { 'mcp-name': 'echo' })],
  ['modern encoded name', modern('tools/call', { name: 'echo' }, { 'mcp-name': '=?base64?ZWNobw==?=' })],
  ['modern wrongly encoded name', modern('tools/call', { name: 'echo' }, { 'mcp-name': '=?base64?!?=' })],
  ['modern name looks encoded', modern('tools/call', { name: '=?base64?ZWNobw==?=' })],
  ['modern name twice', modern('tools/call', { name: 'echo' }, { 'mcp-name': ['echo', 'echo'] })],
  ['modern no name', modern('tools/call', { arguments: {} })],
  ['modern no version header', without(modern('tools/list'), 'mcp-protocol-version')],
  ['modern header, 2025 body', legacy('tools/list', {}, MODERN)],
  ['modern body, 2025 header', modern('tools/list', {}, { 'mcp-protocol-version': '2025-11-25' })],
  [
    'modern unknown claim',
    modern('tools/list', { _meta: { ...ENVELOPE, [`${META}protocolVersion`]: '2030-01-01' } }),
  ],
  ['modern claim number', modern('tools/list', { _meta: { ...ENVELOPE, [`${META}protocolVersion`]: 1 } })],
  ['modern no capabilities', modern('tools/list', { _meta: omit(ENVELOPE, `${META}clientCapabilities`) })],
  [
    'modern bad capabilities',
    modern('tools/list', { _meta: { ...ENVELOPE, [`${META}clientCapabilities`]: 1 } }),
  ],
  [
    'modern bad clientInfo',
    modern('tools/list', { _meta: { ...ENVELOPE, [`${META}clientInfo`]: { name: 1 } } }),
  ],
  ['modern bad log level', modern('tools/list', { _meta: { ...ENVELOPE, [`${META}logLevel`]: 'loud' } })],
  ['modern bad token', modern('tools/list', { _meta: { ...ENVELOPE, progressToken: {} } })],
  ['modern retry', modern('tools/call', { name: 'echo', inputResponses: {} })],
  ['modern bad retry', modern('tools/call', { name: 'echo', requestState: 5 })],
  ['modern extra param', modern('tools/call', { name: 'echo', more: 1 })],
  ['modern cursor', modern('tools/list', { cursor: 'x' })],
  ['modern arguments array', modern('tools/call', { name: 'echo', arguments: [] })],
]

function callText(params: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${params}}}`
}

function notification(method: string, params: unknown = {}): Exchange {
  return { headers: BASE, body: JSON.stringify({ jsonrpc: '2.0', method, params }) }
}

function omit(value: Record<string, unknown>, key: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
}
