import { z } from 'zod'
import { anyVisitor, ownerSurface } from '../../../operations/authority.ts'
import type { Operation } from '../../../operations/define-operation.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { oauthErrors } from './oauth-errors.ts'

/**
 * The steps of a program's sign-in for MCP. The protocol's library carries them out; each is put on record by its
 * operation here before its answer leaves, so that nothing is given out that nobody could find later.
 */
function signInStep(
  name: string,
  summary: string,
  rest: Operation['rest'],
  { isAsking = false } = {},
): Operation {
  return defineOwnerOperation({
    name,
    summary,
    effect: 'update',
    authority: anyVisitor(),
    isAsking,
    rest: rest as 'POST /oauth/token',
    errors: oauthErrors.table,
    input: z.strictObject({ about: z.strictObject({ kind: z.string(), id: z.string() }).optional() }),
    output: z.strictObject({ about: z.strictObject({ kind: z.string(), id: z.string() }).optional() }),
    made: ({ about }) => about ?? { kind: 'mcp_sign_in', id: '-' },
    handle: async ({ input }) => input,
  })
}

export const mcpClientRegister = signInStep(
  'mcp_client_register',
  'A program registers itself, to ask for a sign-in at MCP.',
  'POST /oauth/register',
  { isAsking: true },
)
export const mcpAuthorizationRequest = signInStep(
  'mcp_authorization_request',
  'A program asks, through a browser, to come in at MCP.',
  'GET /oauth/authorize',
  { isAsking: true },
)
export const mcpDeviceRequest = signInStep(
  'mcp_device_request',
  'A program without a browser asks to come in at MCP.',
  'POST /oauth/device_authorization',
  { isAsking: true },
)
export const mcpTokenIssue = signInStep(
  'mcp_token_issue',
  'A program that was allowed in gets its token for MCP.',
  'POST /oauth/token',
)
export const mcpTokenRefresh = signInStep(
  'mcp_token_refresh',
  'A program renews its token for MCP under a standing consent.',
  'POST /oauth/token',
)

/** The owner looks at what a program asks for. */
export const ownerConsentView = defineOwnerOperation({
  name: 'owner_consent_view',
  summary: 'Look at what a program asks for at MCP.',
  effect: 'read',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'GET /v1/owner/consents',
  errors: {},
  input: z.strictObject({}),
  output: z.strictObject({}),
  handle: async () => ({}),
})
