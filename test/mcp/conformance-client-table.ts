import type { Expected } from './conformance-table.ts'

const NO_QUESTIONS = 'the hub offers servers no way to ask its owner: it declares no elicitation'
const NO_OWNER = 'wants tokens that no owner has given: the hub takes those of a connection alone'
const OTHER_ISSUER = 'its metadata names another issuer than the address where it lies, and is refused'
const NO_METADATA = 'publishes no metadata, so that its endpoints would have to be guessed'
const NO_2026 = 'wants revision 2026-07-28, and the hub speaks to servers up to 2025-11-25'

export const CLIENT_2025: Record<string, Expected> = {
  'auth/2025-03-26-oauth-endpoint-fallback': {
    expectedFailure: NO_METADATA,
    checks: ['authorization-request', 'client-registration', 'token-request'],
  },
  'auth/2025-03-26-oauth-metadata-backcompat': {
    expectedFailure: OTHER_ISSUER,
    checks: ['authorization-request', 'client-registration', 'token-request'],
  },
  'auth/basic-cimd': 'pass',
  'auth/client-credentials-basic': {
    expectedFailure: NO_OWNER,
    checks: ['client-credentials-basic-auth', 'client-credentials-grant-type'],
  },
  'auth/client-credentials-jwt': {
    expectedFailure: NO_OWNER,
    checks: ['client-credentials-grant-type', 'client-credentials-jwt-verified'],
  },
  'auth/cross-app-access-complete-flow': {
    expectedFailure: NO_OWNER,
    checks: ['complete-flow-jwt-bearer', 'complete-flow-token-exchange'],
  },
  'auth/metadata-default': 'pass',
  'auth/metadata-var1': 'pass',
  'auth/metadata-var2': 'pass',
  'auth/metadata-var3': 'pass',
  'auth/offline-access-not-supported': 'pass',
  'auth/offline-access-scope': 'pass',
  'auth/pre-registration': 'pass',
  'auth/resource-mismatch': 'pass',
  'auth/scope-from-scopes-supported': 'pass',
  'auth/scope-from-www-authenticate': 'pass',
  'auth/scope-omitted-when-undefined': 'pass',
  'auth/scope-retry-limit': 'pass',
  'auth/scope-step-up': 'pass',
  'auth/token-endpoint-auth-basic': 'pass',
  'auth/token-endpoint-auth-none': 'pass',
  'auth/token-endpoint-auth-post': 'pass',
  'elicitation-sep1034-client-defaults': {
    expectedFailure: NO_QUESTIONS,
    checks: [
      'client-elicitation-sep1034-boolean-default',
      'client-elicitation-sep1034-enum-default',
      'client-elicitation-sep1034-integer-default',
      'client-elicitation-sep1034-number-default',
      'client-elicitation-sep1034-string-default',
    ],
  },
  initialize: 'pass',
  'sse-retry': 'pass',
  tools_call: 'pass',
}

export const CLIENT_2026_AT_2025_11_25: Record<string, Expected> = {
  'auth/basic-cimd': 'pass',
  'auth/metadata-default': 'pass',
  'auth/metadata-var1': 'pass',
  'auth/metadata-var2': 'pass',
  'auth/metadata-var3': 'pass',
  'auth/pre-registration': 'pass',
  'auth/scope-from-scopes-supported': 'pass',
  'auth/scope-from-www-authenticate': 'pass',
  'auth/scope-omitted-when-undefined': 'pass',
  'auth/scope-retry-limit': 'pass',
  'auth/scope-step-up': 'pass',
  'auth/token-endpoint-auth-basic': 'pass',
  'auth/token-endpoint-auth-none': 'pass',
  'auth/token-endpoint-auth-post': 'pass',
  'elicitation-sep1034-client-defaults': {
    expectedFailure: NO_QUESTIONS,
    checks: [
      'client-elicitation-sep1034-boolean-default',
      'client-elicitation-sep1034-enum-default',
      'client-elicitation-sep1034-integer-default',
      'client-elicitation-sep1034-number-default',
      'client-elicitation-sep1034-string-default',
    ],
  },
  initialize: 'pass',
  'json-schema-2020-12-preservation': 'pass',
  'sse-retry': 'pass',
  tools_call: 'pass',
}

export const CLIENT_2026_AT_2026_07_28: Record<string, Expected> = {
  'auth/authorization-server-migration': {
    expectedFailure: NO_2026,
    checks: ['sep-2352-reregister-on-as-change'],
  },
  'auth/basic-cimd': 'pass',
  'auth/iss-normalized': 'pass',
  'auth/iss-not-advertised': 'pass',
  'auth/iss-supported': 'pass',
  'auth/iss-supported-missing': 'pass',
  'auth/iss-unexpected': 'pass',
  'auth/iss-wrong-issuer': 'pass',
  'auth/metadata-default': 'pass',
  'auth/metadata-issuer-mismatch': 'pass',
  'auth/metadata-var1': 'pass',
  'auth/metadata-var2': 'pass',
  'auth/metadata-var3': 'pass',
  'auth/offline-access-not-supported': 'pass',
  'auth/offline-access-scope': 'pass',
  'auth/pre-registration': 'pass',
  'auth/resource-mismatch': 'pass',
  'auth/scope-from-scopes-supported': 'pass',
  'auth/scope-from-www-authenticate': 'pass',
  'auth/scope-omitted-when-undefined': 'pass',
  'auth/scope-retry-limit': { expectedFailure: NO_2026, checks: ['scope-retry-limit'] },
  'auth/scope-step-up': {
    expectedFailure: NO_2026,
    checks: ['scope-step-up-escalation', 'scope-step-up-initial', 'sep-2350-scope-union-on-reauth'],
  },
  'auth/token-endpoint-auth-basic': 'pass',
  'auth/token-endpoint-auth-none': 'pass',
  'auth/token-endpoint-auth-post': 'pass',
  'http-custom-headers': {
    expectedFailure: NO_2026,
    checks: [
      'sep-2243-client-base64-unsafe',
      'sep-2243-client-encode-values',
      'sep-2243-client-mirrors-designated-params',
      'sep-2243-client-omit-null',
      'sep-2243-client-supports-custom-headers',
    ],
  },
  'http-invalid-tool-headers': {
    expectedFailure: NO_2026,
    checks: ['sep-2243-client-reject-invalid-tool', 'sep-2243-invalid-tool-tools-list-gate'],
  },
  'http-standard-headers': {
    expectedFailure: NO_2026,
    checks: ['sep-2243-client-includes-standard-headers'],
  },
  'json-schema-2020-12-preservation': {
    expectedFailure: NO_2026,
    checks: ['json-schema-2020-12-client-echo-completed', 'json-schema-2020-12-client-tool-found'],
  },
  'json-schema-ref-no-deref': 'pass',
  'request-metadata': {
    expectedFailure: NO_2026,
    checks: ['sep-2575-client-populates-meta', 'sep-2575-http-client-sends-version-header'],
  },
  'sep-2322-client-request-state': {
    expectedFailure: NO_2026,
    checks: [
      'sep-2322-client-jsonrpc-id-different',
      'sep-2322-client-no-state-omitted',
      'sep-2322-client-parallel-isolation',
      'sep-2322-client-request-state-echoed',
      'sep-2322-default-result-type-complete',
    ],
  },
  tools_call: { expectedFailure: NO_2026, checks: ['tool-add-numbers'] },
}
