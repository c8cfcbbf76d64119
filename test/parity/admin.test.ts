import { expect } from 'vitest'
import { WHO } from '../harness/callers.ts'
import { describeParity, type ParityCase } from './parity-case.ts'

const HOME = { home: "the document names the caller, and on the home's own files that is another one" }

/** Ids, secrets and moments of tokens differ with each call, and there is one more each time. */
function maskTokens(text: string): string {
  return text
    .replace(/ktok_[0-9a-f]{16}_[0-9a-f]{64}/g, 'ktok_…')
    .replace(/\btok_[0-9a-f]{16}/g, 'tok_…')
    .replace(/"(created|expires|revoked)_at":"[^"]+"/g, '"$1_at":"…"')
}

const CALLERS: ParityCase[] = WHO.filter(
  (who) => who !== 'anonymous' && who !== 'local' && who !== 'owner',
).map((as) => ({
  name: `whoami of ${as}`,
  operation: 'whoami',
  as,
  status: 200,
  ...((as === 'admin' || as === 'hub') && { notOn: HOME }),
  check: (body) => expect(body).toMatchObject({ schema: 'knowtation.whoami/v0', vault_id: 'default' }),
}))

const TOKENS: ParityCase[] = [
  {
    name: 'a token is made, its secret shown once',
    operation: 'token_create',
    input: { role: 'viewer', ttl_seconds: 60, label: 'a label' },
    as: 'admin',
    status: 201,
    notOn: HOME,
    mask: maskTokens,
    check(body, text) {
      expect(body.token).toMatchObject({ role: 'viewer', label: 'a label', revoked_at: null })
      expect(text.split(body.bearer)).toHaveLength(2)
    },
  },
  {
    name: 'a role that does not exist',
    operation: 'token_create',
    input: { role: 'god' },
    as: 'admin',
    code: 'BAD_REQUEST',
    status: 400,
  },
  {
    name: 'an editor makes no token',
    operation: 'token_create',
    input: { role: 'viewer' },
    as: 'editor',
    code: 'FORBIDDEN',
    status: 403,
  },
  {
    name: 'tokens are listed without any secret',
    operation: 'token_list',
    as: 'admin',
    status: 200,
    check: (_body, text) => expect(text).not.toMatch(/ktok_|hash|secret/),
  },
  {
    name: 'tokens are listed page by page',
    operation: 'token_list',
    input: { limit: 1 },
    as: 'admin',
    status: 200,
    check: ({ tokens, truncated, next_cursor }) =>
      expect([tokens.length, truncated, next_cursor]).toEqual([1, true, expect.any(String)]),
  },
  {
    name: 'a cursor that is none of ours',
    operation: 'token_list',
    input: { cursor: 'x' },
    as: 'admin',
    code: 'BAD_REQUEST',
    status: 400,
  },
  { name: 'a viewer lists no tokens', operation: 'token_list', as: 'viewer', code: 'FORBIDDEN', status: 403 },
  {
    name: 'an unknown token',
    operation: 'token_revoke',
    input: { token_id: `tok_${'0'.repeat(16)}` },
    as: 'admin',
    code: 'unknown_token',
    status: 404,
  },
  {
    name: 'a token id of another form',
    operation: 'token_revoke',
    input: { token_id: 'tok_1' },
    as: 'admin',
    code: 'BAD_REQUEST',
    status: 400,
  },
]

const VAULTS: ParityCase[] = [
  {
    name: 'a vault the token does not open',
    operation: 'flow_list',
    as: 'editor',
    vault: 'other',
    code: 'VAULT_DENIED',
    status: 403,
  },
  {
    name: 'a vault id of another form',
    operation: 'flow_list',
    as: 'hub',
    vault: '../etc',
    code: 'BAD_REQUEST',
    status: 400,
  },
]

const DOCTOR: ParityCase[] = [
  {
    name: 'the doctor tells the owner what is on, off and wrong',
    operation: 'doctor',
    as: 'owner',
    status: 200,
    mask: (text) => text.replace(/\d+ records/g, '… records'),
    check: ({ healthy }) => expect(healthy).toBe(true),
  },
  {
    name: 'the doctor tells nobody else',
    operation: 'doctor',
    as: 'admin',
    code: 'FORBIDDEN',
    status: 403,
    notOn: HOME,
  },
]

const NOBODY = `tok_${'0'.repeat(16)}`

const LABELS: ParityCase[] = [
  {
    name: 'the names are listed for the owner',
    operation: 'label_list',
    as: 'owner',
    status: 200,
    check: ({ labels, truncated }) => expect([Array.isArray(labels), truncated]).toEqual([true, false]),
  },
  {
    name: 'an admin is told no names',
    operation: 'label_list',
    as: 'admin',
    code: 'FORBIDDEN',
    status: 403,
    notOn: HOME,
  },
  {
    name: 'a name for what is not there',
    operation: 'label_set',
    input: { id: NOBODY, label: 'A name' },
    as: 'owner',
    code: 'unknown_subject',
    status: 404,
  },
  {
    name: 'a name of two lines',
    operation: 'label_set',
    input: { id: NOBODY, label: 'one\ntwo' },
    as: 'owner',
    code: 'BAD_REQUEST',
    status: 400,
  },
  {
    name: 'no name to take away',
    operation: 'label_remove',
    input: { id: NOBODY },
    as: 'owner',
    code: 'unknown_label',
    status: 404,
  },
  {
    name: 'what connects a client, without a secret',
    operation: 'client_settings',
    input: { client: 'cursor', with: 'grant' },
    as: 'owner',
    status: 200,
    check: ({ clients }) =>
      expect(clients).toMatchObject([{ variables: ['KNOWTATION_TOKEN', 'KNOWTATION_GRANT_BEARER'] }]),
  },
]

describeParity('admin', [...CALLERS, ...TOKENS, ...VAULTS, ...DOCTOR, ...LABELS])
