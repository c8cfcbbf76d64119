import { afterAll, beforeAll, describe, expect } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../src/domains/toolbox/define-tool.ts'
import { systemTools } from '../../src/domains/toolbox/system/index.ts'
import { TOOL_ROLES } from '../../src/domains/toolbox/tool-context.ts'
import { createSession } from '../../src/platform/identity/seat-store.ts'
import { runInProcess } from '../harness/call-cli.ts'
import { connectClient } from '../harness/call-mcp.ts'
import { verifies } from '../requirements/verifies.ts'
import { callDirectly, sendJson, startToolHub, type ToolHub, toolNames, WAYS } from './surface-hub.fixture.ts'

const ROLES = ['dev', 'sre', 'release_manager', 'product_owner', 'ghost'] as const
type Role = (typeof ROLES)[number]

/** Who may use what, written out once more: rights that change must change here too. */
const TABLE: Readonly<Record<string, readonly Role[]>> = {
  read_file: ['dev', 'sre', 'release_manager', 'product_owner'],
  write_file: ['dev', 'sre', 'release_manager'],
  edit_file: ['dev', 'sre', 'release_manager'],
  search_file: ['dev', 'sre', 'release_manager', 'product_owner'],
  count_matches: ['dev', 'sre', 'release_manager', 'product_owner'],
  list_files: ['dev', 'sre', 'release_manager', 'product_owner'],
  delete_file: ['dev', 'sre', 'release_manager'],
  run_test: ['dev', 'sre', 'release_manager'],
  run_lint: ['dev', 'sre', 'release_manager'],
  git_status: ['dev', 'sre', 'release_manager'],
  git_diff: ['dev', 'sre', 'release_manager'],
  git_add: ['dev', 'sre', 'release_manager'],
  git_commit: ['dev', 'sre', 'release_manager'],
  git_push: ['release_manager'],
  git_checkout: ['dev', 'sre', 'release_manager'],
  install_dependencies: ['dev', 'sre', 'release_manager'],
  search_knowledge: ['dev', 'sre', 'release_manager', 'product_owner'],
  find_usage: ['dev', 'sre', 'release_manager'],
  get_related_tests: ['dev', 'sre', 'release_manager'],
  get_system_map: ['dev', 'sre', 'release_manager', 'product_owner'],
  get_task_context: ['dev', 'sre', 'release_manager', 'product_owner'],
  install_package: ['sre'],
  verify_binary: ['sre'],
  system_ctl: ['sre'],
  migrate_config: ['sre'],
}
const toolsOf = (role: Role) => Object.keys(TABLE).filter((tool) => TABLE[tool]?.includes(role))

let tools: ToolHub
const bearers = new Map<Role, string>()
beforeAll(async () => {
  tools = await startToolHub()
  for (const role of ROLES) bearers.set(role, await bearerOf(role))
})
afterAll(() => tools[Symbol.asyncDispose]())

/** The owner cannot make a session of a role that there is not; a damaged row could still hold one. */
function bearerOf(role: Role): Promise<string> {
  if (role !== 'ghost') return tools.bearer({ role })
  const { hub, seat } = tools
  const { project_root, service_root } = seat()
  const wanted = {
    vault_id: 'default',
    role,
    project_root,
    service_root,
    isolation_level: null,
    allowed_commands: null,
    created_by: 'test',
    expires_at: '9999',
  }
  return hub.hub.db.transaction(async (tx) => (await createSession(tx, hub.hub.system, wanted)).bearer)
}

/** Which tools a role gets through to: an argument that no tool has is refused only behind that door. */
async function callable(role: Role, call: (tool: string) => Promise<string | undefined>): Promise<string[]> {
  const open: string[] = []
  for (const tool of toolNames) {
    const code = await call(tool)
    expect(['ValidationError', 'PermissionDenied'], `${role} ${tool}`).toContain(code)
    if (code === 'ValidationError') open.push(tool)
  }
  return open
}

const codeIn = (text: string): string | undefined => JSON.parse(text).error?.code
const NONSENSE = { nonsense: 1 }

describe.each(ROLES)('the role %s', (role) => {
  verifies(
    [
      ...(['TOOL-004', 'TOOL-024', 'TOOL-025', 'TOOL-026', 'TOOL-027', 'TOOL-028'] as const),
      ...(['TOOL-029', 'TOOL-088', 'TOOL-092', 'TOOL-096', 'TOOL-115'] as const),
    ],
    'sees the tools of the table and may call just those, over MCP',
    async () => {
      const client = await connectClient(`${tools.hub.url}/mcp`, bearers.get(role))
      try {
        const listed = await client.listTools()
        expect(listed.tools.map(({ name }) => name)).toEqual(toolsOf(role))
        const call = async (name: string) => {
          const { content, isError } = await client.callTool({ name, arguments: NONSENSE })
          expect(isError).toBe(true)
          return codeIn((content[0] as { text: string }).text)
        }
        expect(await callable(role, call)).toEqual(toolsOf(role))
      } finally {
        await client.close()
      }
    },
  )

  verifies(['TOOL-004', 'TOOL-031', 'TOOL-096'], 'sees and may call just those over REST', async () => {
    const listed = await sendJson(tools.hub.url, 'GET', '/api/v1/tools', bearers.get(role), undefined)
    expect([listed.status, JSON.parse(listed.text)]).toMatchObject([200, { role }])
    const { tools: offered } = JSON.parse(listed.text) as { tools: { name: string }[] }
    expect(offered.map(({ name }) => name)).toEqual(toolsOf(role))
    const call = async (tool: string) => {
      const path = `/api/v1/tools/${tool}`
      const { status, text } = await sendJson(tools.hub.url, 'POST', path, bearers.get(role), NONSENSE)
      expect(status).toBe(codeIn(text) === 'PermissionDenied' ? 403 : 400)
      return codeIn(text)
    }
    expect(await callable(role, call)).toEqual(toolsOf(role))
  })

  verifies(['TOOL-004', 'TOOL-096'], 'sees and may call just those on the command line', async () => {
    const { stdout } = await runInProcess(['tool', 'list', '--role', role, '--json'], {})
    const listed = JSON.parse(stdout) as { tools: { name: string }[] }
    expect(listed.tools.map(({ name }) => name)).toEqual(toolsOf(role))
    // At a running hub the session says what the role is; the list is the route's own.
    const token = bearers.get(role) ?? ''
    const there = await runInProcess(['tool', 'list', '--url', tools.hub.url, '--token', token, '--json'], {})
    expect(there.stdout).toBe(stdout)
    const call = (tool: string) => tools.codeOf('cli', tool, NONSENSE, { role })
    expect(await callable(role, call)).toEqual(toolsOf(role))
  })

  verifies(['TOOL-004', 'TOOL-096'], 'may call just those through the pipeline itself', async () => {
    const call = (tool: string) => tools.codeOf('direct', tool, NONSENSE, { role })
    expect(await callable(role, call)).toEqual(toolsOf(role))
  })
})

describe('the table', () => {
  verifies('TOOL-007', 'names every tool there is, once', () => {
    expect(Object.keys(TABLE)).toEqual(toolNames)
    expect(new Set(toolNames).size).toBe(toolNames.length)
  })

  verifies('TOOL-115', 'gives the four system tools to sre by name', () => {
    const needed = systemTools().map(({ name, required_role }) => `${name} ${required_role}`)
    expect(needed).toEqual([
      'install_package sre',
      'verify_binary sre',
      'system_ctl sre',
      'migrate_config sre',
    ])
  })
})

describe('a tool that needs one role', () => {
  verifies(
    ['TOOL-031', 'TOOL-026'],
    'is not entered for any other, whatever else its declaration says',
    async () => {
      const entered: string[] = []
      const probe = defineTool({
        name: 'probe_tool',
        description: 'Notes who got as far as its body.',
        effect: 'update',
        roles: TOOL_ROLES,
        required_role: 'sre',
        input: z.strictObject({}),
        output: z.strictObject({}),
        check: ({ context }) => void entered.push(`check ${context.role}`),
        handle({ context }) {
          entered.push(`handle ${context.role}`)
          return {}
        },
      })
      for (const role of ROLES) {
        const { ok, text } = await callDirectly(tools, probe, {}, { role })
        expect(ok ? 'success' : codeIn(text), role).toBe(role === 'sre' ? 'success' : 'PermissionDenied')
      }
      expect(entered).toEqual(['check sre', 'handle sre'])
    },
  )
})

describe('a role that is not named', () => {
  verifies('TOOL-022', 'is dev: a session, the command line and the context all say so', async () => {
    const { root, service } = tools.project
    const session = await tools.owner('POST', '/api/v1/tool-sessions', { project: root, service })
    expect(session.session.role).toBe('dev')
    const words = ['tool', 'call', 'git_push', '--project', root, '--service', service, '--json', '--args']
    const env = tools.hub.options.env
    const push = await runInProcess([...words, '{"remote":"origin","branch":"main"}'], env)
    expect(codeIn(push.stdout)).toBe('PermissionDenied')
    const verify = await runInProcess([...words.with(2, 'verify_binary'), '{"binary_name":"git"}'], env)
    expect(codeIn(verify.stdout)).toBe('PermissionDenied')
    const write = words.with(2, 'write_file')
    const written = await runInProcess([...write, '{"path":"by-default.txt","content":"x"}'], env)
    expect(JSON.parse(written.stdout).status).toBe('success')
    expect(tools.project.read('services/web/by-default.txt')).toBe('x')
  })
})

describe('a role that there is not', () => {
  verifies('TOOL-004', 'gets no session, and nothing is done for it on any way', async () => {
    const { root, service } = tools.project
    const refused = await tools.owner('POST', '/api/v1/tool-sessions', {
      project: root,
      service,
      role: 'ghost',
    })
    expect(refused.code).toBe('BAD_REQUEST')
    const before = tools.project.fingerprint()
    const args = { path: 'src/new.txt', content: 'x' }
    for (const way of WAYS.filter((one) => one === 'direct' || one === 'cli'))
      expect(await tools.codeOf(way, 'write_file', args, { role: 'ghost' })).toBe('PermissionDenied')
    const path = '/api/v1/tools/write_file'
    const answer = await sendJson(tools.hub.url, 'POST', path, bearers.get('ghost'), args)
    expect(codeIn(answer.text)).toBe('PermissionDenied')
    expect(tools.project.fingerprint()).toBe(before)
  })
})
