import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, type Minted, mint, policyWith, startGateHub } from '../external-agent/gate-hub.ts'
import { toolFlow } from '../external-agent/tool-servers.ts'
import { connectClient } from '../harness/call-mcp.ts'
import { storeFlows, type TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { auditRecords } from '../rest/rest-hub.fixture.ts'
import { makeToolProject, type ToolProject } from './surface-project.fixture.ts'

const FLOW = { flow_id: 'flow_of_a_service', flow_version: '1.0.0' }
const IDS = ['read_docs', 'write_docs', 'no_folder', 'no_tool', 'no_seat']

let hub: TestHub
let project: ToolProject
beforeAll(async () => {
  project = makeToolProject()
  const seat = { kind: 'toolbox', project: project.root, service: 'services/web', role: 'product_owner' }
  const allowed_tools = [
    { id: 'read_docs', description: 'Read a document', provider: { ...seat, tool: 'read_file' } },
    { id: 'write_docs', description: 'Write a document', provider: { ...seat, tool: 'write_file' } },
    { id: 'no_folder', provider: { ...seat, tool: 'read_file', service: 'services/gone' } },
    { id: 'no_tool', provider: { ...seat, tool: 'flow_list' } },
    { id: 'no_seat', provider: { ...seat, tool: 'read_file', role: 'ghost' } },
  ]
  hub = await startGateHub('on', { policy: policyWith({ allowed_tools }) })
  await storeFlows(hub.hub, 'default', [toolFlow(FLOW.flow_id, IDS)])
})
afterAll(async () => {
  await hub.close()
  project[Symbol.dispose]()
})

const grantOf = () => mint(hub, { ...FLOW, requested_tools: IDS })

/** What the provider answered, over REST as the invoke has it. */
async function invoke({ presented }: Minted, tool_id: string, payload: object) {
  const { body } = await ask(hub, 'flow_external_tool_invoke', { tool_id, ...FLOW, payload }, { presented })
  return body
}

/** The same over MCP, where the holder calls the tool by its name. */
async function callOver({ bearer }: Minted, name: string, args: Record<string, unknown>) {
  const headers = { 'x-flow-external-bearer': bearer }
  const client = await connectClient(`${hub.url}/mcp`, hub.credentials.bearers.editor, undefined, headers)
  try {
    return await client.callTool({ name, arguments: args })
  } finally {
    await client.close()
  }
}

const resultIn = (answer: any) => JSON.parse(answer.content[0].text)

async function eventsOf(agent_id: string): Promise<any[]> {
  return (await ask(hub, 'violation_list', { agent_id }, { as: 'admin' })).body.violations
}

describe('a granted tool that the toolbox provides', () => {
  verifies(['TOOL-030', 'TOOL-010'], 'reads a file at the seat that the policy names', async () => {
    const grant = await grantOf()
    const read = { status: 'success', data: { content: '# A\n' } }
    const { accepted, result } = await invoke(grant, 'read_docs', { path: 'docs/a.md' })
    expect(accepted).toBe(true)
    expect(result.structuredContent).toMatchObject(read)
    const answer = await callOver(grant, 'read_docs', { path: 'docs/a.md' })
    expect(answer.isError).toBeFalsy()
    expect(answer.structuredContent).toMatchObject(read)
    expect(resultIn(answer)).toEqual(answer.structuredContent)
  })

  verifies(
    ['TOOL-079', 'TOOL-130'],
    'gives its own error for a path outside, which is told of the grant as the agent',
    async () => {
      const grant = await grantOf()
      for (const askBy of [
        callOver,
        async (...args: Parameters<typeof invoke>) => (await invoke(...args)).result,
      ]) {
        const answer = await askBy(grant, 'read_docs', { path: '../other/x.txt' })
        expect(answer.isError).toBe(true)
        expect(resultIn(answer)).toMatchObject({ status: 'error', error: { code: 'SecurityError' } })
      }
      const { grant_id } = grant.grant
      const event = { agent_id: grant_id, violation_type: 'scope_outside', target_path: '../other/x.txt' }
      expect(await eventsOf(grant_id)).toMatchObject([event, event])
    },
  )

  verifies(['TOOL-028', 'TOOL-016', 'TOOL-004'], 'keeps to its role, whatever the payload says', async () => {
    const grant = await grantOf()
    const before = project.fingerprint()
    const code = async (id: string, payload: object) =>
      resultIn((await invoke(grant, id, payload)).result).error.code
    expect(await code('write_docs', { path: 'docs/new.md', content: 'x' })).toBe('PermissionDenied')
    expect(await code('read_docs', { path: 'src/main.mjs' })).toBe('PermissionDenied')
    expect(await code('read_docs', { path: 'docs/a.md', role: 'dev' })).toBe('ValidationError')
    expect(await code('no_seat', { path: 'docs/a.md' })).toBe('PermissionDenied')
    expect(project.fingerprint()).toBe(before)
  })

  test('is stopped by a lock on the grant, and by one on the service', async () => {
    const grant = await grantOf()
    for (const target of [
      { kind: 'agent', id: grant.grant.grant_id },
      { kind: 'service', id: project.service },
    ]) {
      await ask(hub, 'lock_add', target, { as: 'owner' })
      const { code, result } = await invoke(grant, 'read_docs', { path: 'docs/a.md' })
      expect(code ?? resultIn(result).error.code).toMatch(/locked/i)
      expect(JSON.stringify(result ?? {})).not.toContain('# A')
      await ask(hub, 'lock_release', target, { as: 'owner' })
      expect((await invoke(grant, 'read_docs', { path: 'docs/a.md' })).result.structuredContent.status).toBe(
        'success',
      )
    }
  })

  verifies('TOOL-133', 'puts a grant that keeps trying into Alert Mode', async () => {
    const grant = await grantOf()
    for (let count = 0; count < 6; count++) await invoke(grant, 'read_docs', { path: '../../README.md' })
    const { alerts } = (await ask(hub, 'alert_list', {}, { as: 'admin' })).body
    expect(alerts.map(({ agent_id }: any) => agent_id)).toContain(grant.grant.grant_id)
    expect((await invoke(grant, 'read_docs', { path: 'docs/a.md' })).accepted).toBe(true)
  })

  test('that can reach no seat or no tool fails as any provider does, and is not counted', async () => {
    const grant = await grantOf()
    for (const id of ['no_folder', 'no_tool'])
      expect((await invoke(grant, id, {})).code).toBe('FLOW_EXTERNAL_PROVIDER_FAILED')
    const { grants } = (await ask(hub, 'flow_external_grant_list')).body
    const listed = grants.find(({ grant_id }: any) => grant_id === grant.grant.grant_id)
    expect(listed.invocation_count).toBe(0)
  })

  test('leaves two records: the invoke of the holder and the call of the grant', async () => {
    const grant = await grantOf()
    await invoke(grant, 'read_docs', { path: 'docs/a.md' })
    const [invoked, called] = (await auditRecords(hub)).slice(-2)
    expect(invoked).toMatchObject({ operation: 'flow_external_tool_invoke', target_id: 'read_docs' })
    expect(called).toMatchObject({
      operation: 'read_file',
      caller_kind: 'toolbox',
      caller_id: grant.grant.grant_id,
      outcome: 'allowed',
    })
  })
})
