import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, test, vi } from 'vitest'
import { OPEN_POLICY } from '../browser/owner-browser.fixture.ts'
import { command, connect, GRANT, newestConsent, startSignInHub } from '../consent/sign-in.fixture.ts'

test('a client hears when the policy changes what its grant opens, and when the grant is taken away', async () => {
  const { hub, owner } = await startSignInHub()
  await using _made = { [Symbol.asyncDispose]: () => hub.close() }
  const { tokens } = await connect(hub, owner, { ...GRANT, 'tool.1': 'calendar' })
  const seen: string[][] = []
  const client = new Client(
    { name: 'listener', version: '1' },
    {
      versionNegotiation: { mode: 'auto' },
      listChanged: {
        tools: {
          autoRefresh: true,
          debounceMs: 0,
          onChanged: (_error, tools) => void seen.push((tools ?? []).map(({ name }) => name)),
        },
      },
    },
  )
  const requestInit = { headers: { authorization: `Bearer ${tokens.access_token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${hub.url}/mcp`), { requestInit }))
  try {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).toSorted()).toEqual(['calendar', 'flow_project', 'web_search'])
    const allowed_tools = OPEN_POLICY.external_agent.allowed_tools.filter((tool) => tool !== 'calendar')
    const external_agent = { ...OPEN_POLICY.external_agent, allowed_tools }
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    hub.write(hub.home.vaultPolicy('default'), { ...OPEN_POLICY, external_agent })
    await vi.waitFor(() => expect(seen.at(-1)).toEqual(['flow_project', 'web_search']), { timeout: 10_000 })
    const { grant_id } = await newestConsent(hub)
    await command(hub, 'flow_external_grant_revoke', { grant_id })
    await vi.waitFor(() => expect(seen.at(-1)).not.toContain('web_search'), { timeout: 10_000 })
  } finally {
    await client.close()
  }
}, 60_000)
