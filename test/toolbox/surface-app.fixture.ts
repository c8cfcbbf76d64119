import { allOperations } from '../../src/domains/index.ts'
import type { Operation } from '../../src/operations/define-operation.ts'
import { buildRegistry } from '../../src/operations/registry.ts'
import { authenticator } from '../../src/platform/identity/authenticate.ts'
import { followHubToken } from '../../src/platform/identity/hub-token.ts'
import { buildApp } from '../../src/surfaces/http/build-app.ts'
import type { ToolHub } from './surface-hub.fixture.ts'

/** The hub of a test over HTTP once more, with tools of the test's own beside the real ones. */
export async function serveMore(
  { hub }: Pick<ToolHub, 'hub'>,
  ...more: Operation[]
): Promise<{ url: string } & AsyncDisposable> {
  const { db, system, home } = hub.hub
  const hubToken = followHubToken(home.hubToken)
  const authenticate = authenticator({ db, now: system.now, hubToken, verifyJwt: undefined })
  const app = buildApp(hub.hub, buildRegistry([...allOperations, ...more]), authenticate)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url, [Symbol.asyncDispose]: () => app.close() }
}
