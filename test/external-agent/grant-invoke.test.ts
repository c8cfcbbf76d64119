import { afterAll, beforeAll, expect } from 'vitest'
import { connectClient } from '../harness/call-mcp.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { ask, type Json, mint, startGateHub, USE } from './gate-hub.ts'

const INVOKE = 'flow_external_tool_invoke'
const MISMATCH = 'FLOW_EXTERNAL_GRANT_FLOW_MISMATCH'

let hub: TestHub
beforeAll(async () => void (hub = await startGateHub('on')))
afterAll(() => hub.close())

verifies(
  ['GATE-101', 'GATE-110', 'GATE-155', 'GATE-156'],
  'a holder that knows the hub’s own invoke is answered over MCP as over REST, word for word',
  async () => {
    const { presented, bearer, grant } = await mint(hub)
    const client = await connectClient(`${hub.url}/mcp`, hub.credentials.bearers.editor, undefined, {
      'x-flow-external-bearer': bearer,
    })
    const wanted: [object, string | undefined][] = [
      [USE, undefined],
      [{ ...USE, flow_version: '1.3.0' }, MISMATCH],
      [{ ...USE, flow_id: 'flow_plain' }, MISMATCH],
      [{ tool_id: USE.tool_id }, MISMATCH],
      [{ ...USE, tool_id: 'slack_notify' }, 'FLOW_EXTERNAL_GRANT_TOOL_DENIED'],
      [{ ...USE, payload: 'x' }, 'BAD_REQUEST'],
    ]
    for (const [input, code] of wanted) {
      const told: Json = await client.callTool({ name: INVOKE, arguments: { ...input } })
      const over_rest = await ask(hub, INVOKE, input, { presented })
      expect([over_rest.code, told.isError ?? false]).toEqual([code, code !== undefined])
      expect(told.content[0].text).toBe(over_rest.text)
    }
    await client.close()
    const { grants } = (await ask(hub, 'flow_external_grant_list')).body
    const { invocation_count } = grants.find((one: Json) => one.grant_id === grant.grant_id)
    expect(invocation_count).toBe(2)
  },
)
