import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../src/domains/toolbox/define-tool.ts'
import { TOOL_ROLES } from '../../src/domains/toolbox/tool-context.ts'
import { CHECKED_CODES, SUGGESTIONS, TOOL_ERRORS } from '../../src/domains/toolbox/tool-errors.ts'
import { FAULT_CODES } from '../../src/domains/toolbox/tool-fault.ts'
import { connectClient } from '../harness/call-mcp.ts'
import { verifies } from '../requirements/verifies.ts'
import { serveMore } from './surface-app.fixture.ts'
import { callDirectly, sendJson, startToolHub, type ToolHub, WAYS } from './surface-hub.fixture.ts'

let tools: ToolHub
beforeAll(async () => {
  tools = await startToolHub()
})
afterAll(() => tools[Symbol.asyncDispose]())

describe.each(WAYS)('a result by %s', (way) => {
  const told = async (tool: string, args: object) => (await tools.call(way, tool, args)).error

  verifies(
    ['TOOL-009', 'TOOL-010', 'TOOL-013'],
    'of a success has data, no error and its metadata',
    async () => {
      const { text: _, ...result } = await tools.call(way, 'read_file', { path: 'docs/a.md' })
      expect(result).toEqual({
        status: 'success',
        data: { content: '# A\n' },
        metadata: { duration_ms: expect.any(Number), security_checks: 'passed' },
      })
      expect(result.metadata.duration_ms).toBeGreaterThanOrEqual(0)
    },
  )

  verifies(
    ['TOOL-009', 'TOOL-011', 'TOOL-012', 'TOOL-013'],
    'of a missing file says which one, and what to do',
    async () => {
      const { text: _, ...result } = await tools.call(way, 'read_file', { path: 'src/none.ts' })
      expect(result).toEqual({
        status: 'error',
        error: {
          code: 'FileNotFound',
          message: expect.stringContaining('src/none.ts'),
          suggestion: expect.stringMatching(/check the path or use list_files/i),
        },
        metadata: { duration_ms: expect.any(Number), security_checks: 'passed' },
      })
    },
  )

  verifies('TOOL-012', 'of a path that counts from the project says how it is called here', async () => {
    const path = 'services/web/docs'
    for (const [tool, args] of [
      ['list_files', { path }],
      ['search_file', { path, regex: 'x' }],
      ['find_usage', { path, symbol: 'x' }],
    ] as const) {
      const { error } = await tools.call(way, tool, args)
      expect([tool, error?.code]).toEqual([tool, 'FileNotFound'])
      expect(error?.message).toContain(path)
      expect(error?.suggestion).toMatch(/list_files.* Did you mean docs\?$/)
    }
    const closed = await tools.call(way, 'list_files', { path: 'docs/web/src' }, { role: 'product_owner' })
    expect(closed.error?.suggestion).not.toContain('Did you mean')
  })

  verifies(['TOOL-011', 'TOOL-013'], 'of a call out of scope says that a check did not pass', async () => {
    const result = await tools.call(way, 'read_file', { path: '../other/x.txt' })
    expect(result).toMatchObject({
      status: 'error',
      error: { code: 'SecurityError', message: /\w/, suggestion: /\w/ },
      metadata: { security_checks: 'failed' },
    })
    expect(result.data).toBeUndefined()
  })

  verifies('TOOL-005', 'of arguments of another tool says what is missing and what there is', async () => {
    expect(await told('read_file', { path: 'docs/a.md', start_line: 1 })).toEqual({
      code: 'ValidationError',
      message: 'the input has a key that is not known.',
      suggestion: `${SUGGESTIONS.ValidationError} It takes path, max_bytes (optional).`,
    })
    expect(await told('read_file', { file: 'docs/a.md' })).toMatchObject({
      message: 'path is missing: it must be of type string.',
      suggestion: expect.stringMatching(/It takes path, max_bytes \(optional\)\.$/),
    })
    const migrated = await tools.call('direct', 'migrate_config', {}, { role: 'sre' })
    expect(migrated.error?.message).toBe('target_version is missing.')
    expect(await told('read_file', { path: 5 })).toMatchObject({ message: 'path must be of type string.' })
    expect(await told('git_status', { path: '.' })).toMatchObject({
      suggestion: expect.stringMatching(/It takes no arguments\.$/),
    })
    expect(await told('edit_file', { path: 'a', edits: [{ old_text: 'a', new_text: 'b' }] })).toMatchObject({
      message: expect.stringMatching(/^edits\.0\.operation is missing: it must be one of replace, /),
      suggestion: expect.stringContaining(
        'It takes path, edits (list of { operation, match_mode (optional), spec,',
      ),
    })
  })

  verifies('TOOL-005', 'of arguments that the schema does not allow is a ValidationError', async () => {
    const bad: [string, object][] = [
      ['read_file', { path: 5 }],
      ['read_file', {}],
      ['read_file', { path: 'a', foo: 1 }],
      ['read_file', { path: 'docs/a.md', max_bytes: '9' }],
      ['write_file', { path: 'new.txt' }],
      ['list_files', { path: '.', recursive: 'yes' }],
      ['git_status', { short: true }],
      ['git_add', { files: 'src' }],
    ]
    const before = tools.project.fingerprint()
    for (const [tool, args] of bad) {
      const { error, metadata } = await tools.call(way, tool, args)
      expect([error?.code, metadata.security_checks], JSON.stringify(args)).toEqual([
        'ValidationError',
        'failed',
      ])
    }
    expect(tools.project.fingerprint()).toBe(before)
  })
})

test('arguments that are no object are refused as well', async () => {
  for (const args of [[], 'x', 5, null, true]) {
    const { text } = await callDirectly(tools, 'git_status', args)
    expect(JSON.parse(text).error.code).toBe('ValidationError')
  }
})

function expectHidden(text: string): void {
  expect(JSON.parse(text)).toMatchObject({
    status: 'error',
    error: { code: 'InternalError', message: 'The tool failed.', suggestion: /\w/ },
    metadata: { security_checks: 'failed' },
  })
  expect(text).not.toMatch(/srv|\.ts|ENOENT|    at |Error:|node_modules|src\//)
}

describe('a tool that fails in a way nobody foresaw', () => {
  const SECRET_PLACE = '/srv/hidden/place.ts'
  const broken = defineTool({
    name: 'broken_tool',
    description: 'Throws something, to see what the agent hears of it.',
    effect: 'read',
    roles: TOOL_ROLES,
    input: z.strictObject({ how: z.string().describe('What it throws') }),
    output: z.strictObject({}),
    handle({ input }): never {
      if (input.how === 'text') throw `${SECRET_PLACE}: text`
      if (input.how === 'nothing') throw undefined
      if (input.how === 'type') return (null as never as { x: { y: never } }).x.y
      throw Object.assign(new Error(`ENOENT: open '${SECRET_PLACE}'`), { code: 'ENOENT', path: SECRET_PLACE })
    },
  })
  verifies('TOOL-014', 'is an InternalError, without stack or places, by every way', async () => {
    await using served = await serveMore(tools, broken)
    const bearer = await tools.bearer()
    for (const how of ['error', 'text', 'nothing', 'type']) {
      const answer = await sendJson(served.url, 'POST', '/api/v1/tools/broken_tool', bearer, { how })
      expect(answer.status).toBe(500)
      expectHidden(answer.text)
      const client = await connectClient(`${served.url}/mcp`, bearer)
      const { content, isError } = await client.callTool({ name: 'broken_tool', arguments: { how } })
      await client.close()
      expect(isError).toBe(true)
      expectHidden((content[0] as { text: string }).text)
      expectHidden((await callDirectly(tools, broken, { how })).text)
    }
  })

  test('is reported to the log of the hub, where its place is', async () => {
    await callDirectly(tools, broken, { how: 'error' })
    expect(tools.hub.logged.some((line) => line.includes('broken_tool') && line.includes('place'))).toBe(true)
    expect(tools.hub.logged.join('')).not.toContain(SECRET_PLACE)
  })
})

test('every code has a status, a sentence and an advice', () => {
  for (const code of FAULT_CODES) {
    expect(TOOL_ERRORS[code].status).toBeGreaterThanOrEqual(400)
    expect(TOOL_ERRORS[code].message).toMatch(/\.$/)
    expect(SUGGESTIONS[code]).toMatch(/\.$/)
  }
  for (const code of ['SecurityError', 'PermissionDenied', 'PolicyViolation', 'Locked', 'InternalError'])
    expect(CHECKED_CODES.has(code as never)).toBe(false)
})
