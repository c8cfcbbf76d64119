import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PACKAGE_FOLDER } from '../../src/platform/basics/package-folder.ts'
import type { CliRun } from '../harness/call-cli.ts'
import { runProgram } from '../harness/run-program.ts'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'

const INSPECTOR = join(
  PACKAGE_FOLDER,
  'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
)
const TOOLS = ['flow_list', 'flow_get', 'flow_project', 'flow_export', 'flow_check', 'whoami']
/** The inspector's exit codes. */
const [FINE, NO_AUTH, TOOL_ERROR] = [0, 3, 5]

let hub: TestHub
beforeAll(async () => {
  hub = await startTestHub()
})
afterAll(() => hub.close())

/** Runs the inspector without a screen; it keeps its catalogue out of the real home. */
function inspect(bearer: string | undefined, ...args: string[]): Promise<CliRun> {
  const { folder } = hub.home
  const env = { HOME: folder, MCP_CATALOG_PATH: join(folder, 'catalog.json') }
  const header = bearer ? ['--header', `Authorization: Bearer ${bearer}`] : []
  const connection = [
    '--cli',
    `${hub.url}/mcp`,
    '--transport',
    'http',
    '--stored-auth-only',
    '--format',
    'json',
    '-q',
  ]
  return runProgram([INSPECTOR, ...connection, ...header, ...args], env)
}

describe.each(['legacy', 'modern'])('the official inspector, %s era', (era) => {
  const asViewer = (...args: string[]) =>
    inspect(hub.credentials.bearers.viewer, '--protocol-era', era, ...args)

  test('lists the tools and finds no fault in their schemas', async () => {
    const { exit, stdout } = await asViewer('--method', 'tools/list', '--strict')
    expect(exit).toBe(FINE)
    for (const tool of TOOLS) expect(stdout).toContain(`"${tool}"`)
  })

  test('calls a tool', async () => {
    const call = ['--method', 'tools/call', '--tool-name', 'flow_list', '--tool-args-json', '{"limit":1}']
    const { exit, stdout } = await asViewer(...call)
    expect(exit).toBe(FINE)
    expect(stdout).toContain('knowtation.flow_list/v0')
  })

  test('is told why a call was refused', async () => {
    const call = [
      '--method',
      'tools/call',
      '--tool-name',
      'flow_get',
      '--tool-args-json',
      '{"flow_id":"flow_nope"}',
    ]
    const { exit, stdout } = await asViewer(...call)
    expect(exit).toBe(TOOL_ERROR)
    expect(stdout).toContain('unknown_flow')
  })
})

test('without a credential the inspector is told to authenticate', async () => {
  const { exit } = await inspect(undefined, '--method', 'tools/list')
  expect(exit).toBe(NO_AUTH)
})
