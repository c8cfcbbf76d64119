import type { Hub } from '../../../operations/hub.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import type { SignIn } from './oauth-routes.ts'

/** The sign-in for MCP, whose library is loaded when it is first needed. */
export function lazySignIn(hub: Hub): SignIn {
  let opening: Promise<AuthorizationServer> | undefined
  const open = async () => (await import('./authorization-server.ts')).openAuthorizationServer(hub)
  return {
    hub,
    server() {
      opening ??= open()
      // What failed once may work later.
      opening.catch(() => {
        opening = undefined
      })
      return opening
    },
  }
}
