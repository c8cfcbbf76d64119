import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectClient } from '../harness/call-mcp.ts'
import { verifies } from '../requirements/verifies.ts'
import { auditRecords } from '../rest/rest-hub.fixture.ts'
import { registry, sendJson, startToolHub, type ToolHub, toolNames, WAYS } from './surface-hub.fixture.ts'
import { NODE_TOOLCHAIN } from './surface-project.fixture.ts'

/** The ids of the contract's capability tables. */
const CONTRACT = {
  file: ['read_file', 'write_file', 'edit_file', 'search_file', 'count_matches', 'list_files', 'delete_file'],
  shell: ['run_test', 'run_lint', 'install_dependencies'],
  git: ['git_status', 'git_diff', 'git_add', 'git_commit', 'git_push', 'git_checkout'],
  knowledge: ['search_knowledge', 'find_usage', 'get_related_tests', 'get_system_map', 'get_task_context'],
  system: ['install_package', 'verify_binary', 'system_ctl', 'migrate_config'],
}
const ATOMS = ['Manifest_Parse', 'Template_Render', 'manifest_parse', 'template_render']

let tools: ToolHub
beforeAll(async () => {
  const config = { ...NODE_TOOLCHAIN, tools: { ...NODE_TOOLCHAIN.tools, allow_legacy_run_command: true } }
  tools = await startToolHub(config)
})
afterAll(() => tools[Symbol.asyncDispose]())

describe('the toolbox', () => {
  verifies(
    ['TOOL-002', 'TOOL-007'],
    'lists each tool with what a client needs, and a client calls one',
    async () => {
      const client = await connectClient(`${tools.hub.url}/mcp`, await tools.bearer())
      try {
        const listed = await client.listTools()
        const ajv = new Ajv2020({ strict: false })
        for (const { name, description, inputSchema, outputSchema } of listed.tools) {
          expect(description, name).toMatch(/\w{3}/)
          expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false })
          ajv.compile(inputSchema)
          ajv.compile(outputSchema as object)
        }
        const result = await client.callTool({ name: 'git_status', arguments: {} })
        expect(result.isError).toBeFalsy()
        expect(result.structuredContent).toMatchObject({ status: 'success', data: { branch: 'main' } })
      } finally {
        await client.close()
      }
    },
  )

  verifies(['TOOL-007', 'TOOL-008'], "has the names of the contract's tables, each once", () => {
    expect(toolNames.toSorted()).toEqual(Object.values(CONTRACT).flat().toSorted())
    expect(toolNames).not.toContain('file_read')
    expect([...registry.keys()].filter((name) => toolNames.includes(name))).toEqual(toolNames)
  })

  test.each(toolNames)('describes %s so that its schemas compile', (name) => {
    const ajv = new Ajv2020({ strict: false })
    const operation = registry.get(name)
    expect(operation?.description.length).toBeGreaterThan(40)
    expect(operation?.contract).toBeDefined()
    expect(() => ajv.compile({ ...operation?.input.toJSONSchema() })).not.toThrow()
  })

  verifies(
    ['TOOL-001', 'TOOL-008', 'TOOL-099'],
    'has no atoms, no example ids and no run_command',
    async () => {
      for (const role of ['dev', 'sre', 'release_manager', 'product_owner']) {
        const client = await connectClient(`${tools.hub.url}/mcp`, await tools.bearer({ role }))
        const names = (await client.listTools()).tools.map(({ name }) => name)
        await client.close()
        for (const name of [...ATOMS, 'file_read', 'run_command']) expect(names).not.toContain(name)
      }
      for (const way of WAYS.filter((one) => one !== 'direct')) {
        for (const name of [
          ...ATOMS,
          'file_read',
          'run_command',
          'flow_list',
          'tool_request',
          'constructor',
        ]) {
          const { status, error, metadata } = await tools.call(way, name, { command: 'ls' })
          expect([status, error?.code, metadata.security_checks], `${way} ${name}`).toEqual([
            'error',
            'ToolNotFound',
            'failed',
          ])
          expect(error?.suggestion).toMatch(/list/i)
        }
      }
    },
  )

  test('records a call of a tool that there is not, and keeps strangers out of that door', async () => {
    await tools.call('rest', 'Manifest_Parse')
    const [record] = (await auditRecords(tools.hub)).filter(({ surface }) => surface === 'rest').slice(-1)
    expect(record).toMatchObject({ operation: 'tool_request', outcome: 'denied', code: 'ToolNotFound' })
    const { status, text } = await sendJson(tools.hub.url, 'POST', '/api/v1/tools/nope', undefined, {})
    expect([status, JSON.parse(text).code]).toEqual([401, 'UNAUTHENTICATED'])
  })

  test('tells an agent at a seat how to begin, and a member something else', async () => {
    const bearers = { seat: await tools.bearer(), member: tools.hub.credentials.bearers.viewer }
    const told: Record<string, string | undefined> = {}
    for (const [who, bearer] of Object.entries(bearers)) {
      const client = await connectClient(`${tools.hub.url}/mcp`, bearer)
      told[who] = client.getInstructions()
      await client.close()
    }
    expect(told.seat).toContain('list_files')
    expect(told.seat).not.toContain('flow_list')
    expect(told.member).toContain('flow_list')
  })
})
