import { errorTable } from '../../../operations/errors.ts'

/** What the sign-in for MCP refuses with, in the words of OAuth (RFC 6749, 7591, 8628, 8707). */
export const oauthErrors = errorTable({
  invalid_client: {
    status: 401,
    message: 'This program is not registered here, or its registration is over. Let it register again.',
  },
  invalid_grant: {
    status: 400,
    message:
      'The code or token does not count: used before, over, revoked, or of another client. Sign in again.',
  },
  invalid_target: { status: 400, message: 'Tokens of this hub are for its own /mcp alone.' },
  invalid_scope: { status: 400, message: 'The scope is mcp.' },
  invalid_redirect_uri: {
    status: 400,
    message:
      'The address for the answer will not do: loopback over http, https, or a scheme of the program’s own.',
  },
  invalid_client_metadata: { status: 400, message: 'The registration is not valid.' },
  unauthorized_client: { status: 400, message: 'The program may not ask in this way.' },
  unsupported_grant_type: { status: 400, message: 'This way to a token is not offered.' },
  unsupported_response_type: { status: 400, message: 'The answer to a sign-in is a code.' },
  access_denied: { status: 400, message: 'The owner said no.' },
  authorization_pending: { status: 400, message: 'The owner has not answered yet.' },
  slow_down: { status: 400, message: 'Asked too soon: wait five seconds longer from now on.' },
  expired_token: { status: 400, message: 'The time for this code is over. Begin again.' },
  too_many_clients: {
    status: 429,
    message:
      'More programs are registered than there may be. Those that were allowed nothing make room after ten minutes.',
  },
})
export type OauthCode = keyof typeof oauthErrors.table
