import { type DatabaseName, storeFlows, type TestHub } from '../harness/test-hub.ts'
import { pin as use } from './approvals.fixture.ts'
import { type Minted, mint, policyWith, startGateHub } from './gate-hub.ts'
import { definition, pinOf, type ShiftyServer, startShiftyServer } from './shifty-server.fixture.ts'
import { toolFlow } from './tool-servers.ts'

export const NAMES = ['post', 'read', 'move']

export interface PinnedHub extends AsyncDisposable {
  readonly hub: TestHub
  readonly grant: Minted
  readonly server: ShiftyServer
}

/** A hub whose policy pins the tools of a server as they are defined now. */
export async function startPinnedHub(
  database: DatabaseName,
  list?: ShiftyServer['list'],
): Promise<PinnedHub> {
  const server = await startShiftyServer(list ?? (() => NAMES.map((name) => definition(name))))
  const policy = policyWith(pinnedPolicy(server.url))
  const hub = await startGateHub('on', { database, policy })
  await storeFlows(hub.hub, 'default', [toolFlow(use.flow_id, NAMES)])
  const grant = await mint(hub, { ...use, requested_tools: NAMES })
  const close = async () => {
    await hub.close()
    await server.close()
  }
  return { hub, grant, server, [Symbol.asyncDispose]: close }
}

export function pinnedPolicy(url: string, pins: Record<string, string> = {}): object {
  return {
    max_invocations: 10_000,
    providers: { shifty: { kind: 'mcp', url } },
    allowed_tools: NAMES.map((name) => ({
      id: name,
      provider: { name: 'shifty', tool: name },
      pin: pins[name] ?? pinOf(definition(name)),
    })),
  }
}
