import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { call, type Reply, type Request, requireOperation } from '../harness/call.ts'
import { commandLine, withoutAdvice } from '../harness/call-cli.ts'
import { callTool } from '../harness/call-mcp.ts'
import { BIN, childEnv, runProgram } from '../harness/run-program.ts'
import { DATABASES, startTestHub, storeFlows, type TestHub } from '../harness/test-hub.ts'
import type { RuleId } from '../requirements/rule-ids.ts'
import { verifies } from '../requirements/verifies.ts'
import { maskTimes } from './parity-case.ts'
import { SAMPLE_FLOWS } from './sample-flows.ts'

/** Calls that the programs themselves must answer like the pipeline in this process. */
const CASES: [string, Record<string, unknown>, RuleId[]][] = [
  ['flow_list', { tag: 'alpha' }, ['FLOW-037']],
  ['flow_get', { flow_id: 'flow_two', version: '1.0.0' }, ['FLOW-037']],
  ['flow_get', { flow_id: 'flow_nope' }, ['FLOW-031', 'FLOW-032']],
  ['flow_project', { flow_id: 'flow_hostile', harness: 'cursor_rule' }, ['FLOW-037', 'FLOW-045', 'FLOW-047']],
  ['flow_project', { flow_id: 'flow_two', harness: 'mcp_prompt' }, ['FLOW-041']],
  ['flow_export', { flow_id: 'flow_long' }, ['FLOW-037']],
  ['flow_check', { bundle: { flow: 1, steps: [] } }, ['FLOW-018']],
]

describe.each(DATABASES)('the built program on %s', (database) => {
  let hub: TestHub
  let stdio: Client
  beforeAll(async () => {
    hub = await startTestHub({ database })
    await storeFlows(hub.hub, 'default', SAMPLE_FLOWS)
    stdio = new Client({ name: 'parity', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    const env = childEnv(hub.options.env)
    await stdio.connect(
      new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp'], env, stderr: 'pipe' }),
    )
  })
  afterAll(async () => {
    await stdio.close()
    await hub.close()
  })

  async function run(request: Request, way: 'home' | 'url'): Promise<Reply> {
    const { argv, stdin } = commandLine(request)
    const env = way === 'home' ? hub.options.env : { KNOWTATION_TOKEN: hub.credentials.bearers.admin }
    const args = way === 'home' ? [BIN, ...argv] : [BIN, ...argv, '--url', hub.url]
    const { exit, stdout } = await runProgram(args, env, stdin)
    return { ok: exit === 0, status: undefined, text: withoutAdvice(stdout).replace(/\n$/, '') }
  }

  for (const [name, input, rules] of CASES) {
    const what = `${name} ${JSON.stringify(input)}`.slice(0, 80)
    verifies(
      rules,
      `${what}: command line on the home, command line to the hub, MCP over stdio`,
      async () => {
        const request: Request = { operation: requireOperation(name), input, as: 'admin' }
        const expected = await call(hub, 'direct', request)
        const replies = {
          home: await run(request, 'home'),
          url: await run(request, 'url'),
          stdio: await callTool(stdio, request),
        }
        for (const [way, reply] of Object.entries(replies))
          expect({ way, ok: reply.ok, text: maskTimes(reply.text) }).toEqual({
            way,
            ok: expected.ok,
            text: maskTimes(expected.text),
          })
      },
    )
  }
})
