import { describe, expect, test } from 'vitest'
import { ToolProvider } from './provider-policy.ts'

const faultOf = (raw: unknown) => {
  const { path = [], message } = ToolProvider.safeParse(raw).error?.issues[0] ?? {}
  return message === undefined ? 'accepted' : path.join('.')
}
const mcp = { kind: 'mcp', tool: 't' }
const http = { kind: 'http', method: 'GET', url: 'https://example.test/' }

describe('ToolProvider', () => {
  test('takes the documented forms and fills in the limits', () => {
    const bounds = { timeout_seconds: 20, max_output_bytes: 262_144 }
    const command = ['npx', '-y', '@modelcontextprotocol/server-everything', 'stdio']
    expect(ToolProvider.parse({ ...mcp, command, env: ['UPSTREAM_KEY'], timeout_seconds: 20 })).toEqual({
      ...mcp,
      command,
      env: ['UPSTREAM_KEY'],
      env_files: {},
      ...bounds,
    })
    const web = { headers: {}, allow_addresses: [], ...bounds }
    const url = 'http://127.0.0.1:9000/mcp'
    expect(ToolProvider.parse({ kind: 'mcp', url, tool: 'search' })).toEqual({
      ...mcp,
      tool: 'search',
      url,
      ...web,
    })
    const headers = { authorization: 'env:NOTIFY_TOKEN' }
    const notify = { kind: 'http', method: 'POST', url: 'https://hooks.example.test/notify', headers }
    expect(ToolProvider.parse(notify)).toEqual({ ...web, ...notify })
    const toolbox = { kind: 'toolbox', tool: 'read_file', project: '/srv/shop', service: 's', role: 'owner' }
    expect(ToolProvider.parse(toolbox)).toEqual(toolbox)
  })

  test.each<[unknown, string]>([
    [null, ''],
    [{}, 'kind'],
    [{ kind: 'ftp' }, 'kind'],
    [{ ...mcp, command: [] }, 'command'],
    [{ ...mcp, command: ['a'], url: 'http://x.test' }, ''],
    [{ ...mcp, command: ['a\0b'] }, 'command.0'],
    [{ ...mcp, command: ['a'], shell: true }, ''],
    [{ ...mcp, command: ['a'], env: ['A=B'] }, 'env.0'],
    [{ ...mcp, command: ['a'], timeout_seconds: 601 }, 'timeout_seconds'],
    [{ ...mcp, command: ['a'], timeout_seconds: 0 }, 'timeout_seconds'],
    [{ ...mcp, command: ['a'], max_output_bytes: 8_388_609 }, 'max_output_bytes'],
    [{ ...http, method: 'CONNECT' }, 'method'],
    [{ ...http, url: 'file:///etc/passwd' }, 'url'],
    [{ ...http, url: 'https://user:word@example.test/' }, 'url'],
    [{ ...http, url: 'https://exa\nmple.test/' }, 'url'],
    [{ ...http, url: 'example.test' }, 'url'],
    [{ ...http, headers: { Host: 'other' } }, 'headers.Host'],
    [{ ...http, headers: { 'transfer-encoding': 'chunked' } }, 'headers.transfer-encoding'],
    [{ ...http, headers: { 'x-a': 'one\r\nx-b: two' } }, 'headers.x-a'],
    [{ ...http, headers: { 'x-a': '1', 'X-A': '2' } }, 'headers'],
    [{ ...http, allow_addresses: ['10.0.0.0/33'] }, 'allow_addresses.0'],
    [{ ...http, allow_addresses: ['localhost'] }, 'allow_addresses.0'],
    [{ ...http, allow_addresses: ['10.0.0.0/8', '::1', 'fd00::/8'] }, 'accepted'],
  ])('%j: %s', (raw, fault) => {
    expect(faultOf(raw)).toBe(fault)
  })
})
