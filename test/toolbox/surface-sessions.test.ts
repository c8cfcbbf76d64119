import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectClient } from '../harness/call-mcp.ts'
import type { Clock } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { OPEN_GATES, requestOf, requireExpectation, routed } from '../rest/routes.fixture.ts'
import { registry, sendJson, startToolHub, type ToolHub, toolNames } from './surface-hub.fixture.ts'

const clock: Clock = {}
let tools: ToolHub
beforeAll(async () => {
  tools = await startToolHub(undefined, { clock, env: OPEN_GATES })
})
afterAll(() => tools[Symbol.asyncDispose]())

async function create(more: object = {}): Promise<{ bearer: string; session_id: string; session: any }> {
  const wanted = { project: tools.project.root, service: 'services/web', ...more }
  const { bearer, session } = await tools.owner('POST', '/api/v1/tool-sessions', wanted)
  return { bearer, session_id: session.session_id, session }
}

/** Reads a file over REST; the status and the code. */
async function readOver(bearer: string, headers: Record<string, string> = {}): Promise<[number, string]> {
  const sent = { method: 'POST', path: '/api/v1/tools/read_file', body: '{"path":"docs/a.md"}' }
  const { status, text } = await send(tools.hub.url, { ...sent, bearer, headers })
  const { status: result, error, code } = JSON.parse(text)
  return [status, code ?? error?.code ?? result]
}

/** A connected client, and what its next call ends with. */
async function connected(bearer: string) {
  const client = await connectClient(`${tools.hub.url}/mcp`, bearer)
  const read = async (): Promise<string> => {
    try {
      const { content } = await client.callTool({ name: 'read_file', arguments: { path: 'docs/a.md' } })
      const { status, error } = JSON.parse((content[0] as { text: string }).text)
      return error?.code ?? status
    } catch (error) {
      return /401|Authentication/.test(String(error)) ? 'unauthenticated' : String(error)
    }
  }
  return { read, [Symbol.asyncDispose]: () => client.close() }
}

describe('a session', () => {
  test('shows its bearer once and is kept as a hash', async () => {
    const { bearer, session } = await create({ agent_id: 'once', ttl_seconds: 60 })
    expect(bearer).toMatch(/^ktool_[0-9a-f]{16}_[0-9a-f]{64}$/)
    expect(session).toMatchObject({ agent_id: 'once', role: 'dev', revoked_at: null })
    const listed = await tools.owner('GET', '/api/v1/tool-sessions')
    expect(listed.sessions[0]).toEqual(session)
    await tools.hub.hub.db.transaction(async () => {})
    for (const name of ['knowtation.db', 'knowtation.db-wal']) {
      const path = `${tools.hub.home.folder}/${name}`
      expect(readIfThere(path)).not.toContain(bearer.slice(-64))
    }
    expect(JSON.stringify(listed)).not.toContain(bearer.slice(-64))
    expect(tools.hub.logged.join('')).not.toContain(bearer.slice(-64))
  })

  test('that is revoked is over with the next call, on an open connection too', async () => {
    const { bearer, session_id } = await create()
    await using client = await connected(bearer)
    expect([await readOver(bearer), await client.read()]).toEqual([[200, 'success'], 'success'])
    const revoked = await tools.owner('DELETE', `/api/v1/tool-sessions/${session_id}`)
    expect(revoked.session.revoked_at).toEqual(expect.any(String))
    expect(await readOver(bearer)).toEqual([401, 'UNAUTHENTICATED'])
    expect(await client.read()).toBe('unauthenticated')
    const again = await tools.owner('DELETE', `/api/v1/tool-sessions/${session_id}`)
    expect(again.session.revoked_at).toBe(revoked.session.revoked_at)
  })

  test('that has run out is over, to the second', async () => {
    clock.now = new Date('2026-11-01T12:00:00.000Z')
    const { bearer, session } = await create({ ttl_seconds: 60 })
    expect(session.expires_at).toBe('2026-11-01T12:01:00.000Z')
    clock.now = new Date('2026-11-01T12:00:59.999Z')
    expect(await readOver(bearer)).toEqual([200, 'success'])
    clock.now = new Date('2026-11-01T12:01:00.000Z')
    expect(await readOver(bearer)).toEqual([401, 'UNAUTHENTICATED'])
    clock.now = undefined
  })

  test('with a changed or made-up bearer is none', async () => {
    const { bearer, session_id } = await create()
    const last = bearer.endsWith('0') ? '1' : '0'
    const wrong = [
      bearer.slice(0, -1) + last,
      bearer.slice(0, -1),
      `${bearer}0`,
      session_id,
      `ktool_${'0'.repeat(16)}`,
    ]
    for (const one of wrong) expect(await readOver(one)).toEqual([401, 'UNAUTHENTICATED'])
  })

  test('counts on loopback and in its own vault only', async () => {
    const { bearer } = await create()
    expect(await readOver(bearer, { host: 'api.knowtation.store' })).toEqual([401, 'UNAUTHENTICATED'])
    expect(await readOver(bearer, { 'x-vault-id': 'other' })).toEqual([403, 'PermissionDenied'])
    expect(await readOver(bearer, { 'x-flow-external-bearer': 'x' })).toEqual([200, 'success'])
  })

  test('stops under a lock on its agent, its id, its service or everything, and goes on after', async () => {
    const { bearer, session_id } = await create({ agent_id: 'stoppable' })
    await using client = await connected(bearer)
    const targets = [
      { kind: 'agent', id: 'stoppable' },
      { kind: 'agent', id: session_id },
      { kind: 'service', id: tools.project.service },
      { kind: 'service', id: tools.project.root },
      { kind: 'all' },
    ]
    for (const target of targets) {
      await tools.owner('POST', '/api/v1/locks', target)
      expect(await readOver(bearer), JSON.stringify(target)).toEqual([423, 'Locked'])
      expect(await client.read()).toBe('Locked')
      const query = target.id ? `?id=${encodeURIComponent(target.id)}` : ''
      await tools.owner('DELETE', `/api/v1/locks/${target.kind}${query}`)
      expect([await readOver(bearer), await client.read()]).toEqual([[200, 'success'], 'success'])
    }
  })
})

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

describe('a seat and a vault are two things', () => {
  verifies('TOOL-004', 'a session opens no operation of the hub, by route or by MCP', async () => {
    const { bearer } = await create({ role: 'sre' })
    // Signing in is for everybody, whatever they hold up.
    const open = ['seat', 'any_seat', 'visitor']
    const closed = routed.filter(({ authority }) => !open.includes(authority.kind))
    for (const operation of closed) {
      const sent = requestOf(operation, requireExpectation(operation).input(tools.hub))
      const { status } = await send(tools.hub.url, { ...sent, bearer })
      // Where only the owner's session counts, any other credential counts as none.
      const isSessionOnly = operation.authority.otherwise === 'authentication_error'
      expect(status, operation.name).toBe(isSessionOnly ? 401 : 403)
    }
    const client = await connectClient(`${tools.hub.url}/mcp`, bearer)
    try {
      for (const [name, { authority }] of registry) {
        if (authority.kind === 'seat') continue
        const { content } = await client.callTool({ name, arguments: {} })
        expect(JSON.parse((content[0] as { text: string }).text).error.code, name).toBe('ToolNotFound')
      }
    } finally {
      await client.close()
    }
  })

  verifies('TOOL-004', 'a credential of a vault sees and opens no tool over MCP', async () => {
    for (const who of ['viewer', 'admin', 'hub', 'gateway'] as const) {
      const client = await connectClient(`${tools.hub.url}/mcp`, tools.hub.credentials.bearers[who])
      const { tools: listed } = await client.listTools()
      expect(listed.filter(({ name }) => toolNames.includes(name))).toEqual([])
      for (const name of toolNames)
        await expect(client.callTool({ name, arguments: {} })).rejects.toThrow('not found')
      await client.close()
    }
  })

  test('only the owner makes, sees and ends sessions', async () => {
    const { bearer: seated } = await create()
    const { admin, editor } = tools.hub.credentials.bearers
    const wanted = { project: tools.project.root, service: 'services/web' }
    for (const bearer of [admin, editor, seated]) {
      const { status } = await sendJson(tools.hub.url, 'POST', '/api/v1/tool-sessions', bearer, wanted)
      expect(status).toBe(403)
      expect((await sendJson(tools.hub.url, 'GET', '/api/v1/tool-sessions', bearer)).status).toBe(403)
    }
  })
})
