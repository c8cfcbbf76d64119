import { type Json, mint, policyWith } from '../external-agent/gate-hub.ts'
import { toolFlow } from '../external-agent/tool-servers.ts'
import { storeFlows, type TestHub } from '../harness/test-hub.ts'

const use = { flow_id: 'flow_provided', flow_version: '1.0.0' }

/** An agent with a grant for tools of these providers, by the tools' names; it can go to any hub of the home. */
export async function grantFor({ hub }: { hub: TestHub }, providers: Record<string, object>) {
  const names = Object.keys(providers)
  const allowed_tools = Object.entries(providers).map(([id, provider]) => ({ id, provider }))
  const gates = { enabled: true, max_invocations: 10_000, allowed_tools }
  hub.write(hub.home.vaultPolicy('default'), policyWith(gates))
  await storeFlows(hub.hub, 'default', [toolFlow(use.flow_id, names)])
  const grant = await mint(hub, { ...use, requested_tools: names })
  return {
    async use(tool: string, payload: object, url = hub.url): Promise<{ status: number; body: Json }> {
      const answer = await fetch(`${url}/api/v1/flows/external-tools/${tool}/invoke`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${hub.credentials.bearers.editor}`,
          'x-flow-external-bearer': grant.presented.external_bearer ?? '',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ ...use, payload }),
      })
      return { status: answer.status, body: await answer.json() }
    },
  }
}
