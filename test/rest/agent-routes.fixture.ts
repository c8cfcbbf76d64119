import type { Expectation, Needs } from './routes.fixture.ts'

const expects = (needs: Needs, answer: string, input: Record<string, unknown> = {}): Expectation => ({
  needs,
  answer,
  input: () => input,
})
const CONSENT = { consent_id: `cons_${'0'.repeat(16)}` }
const NAMED = { id: `tok_${'0'.repeat(16)}` }

/** Names, consents, and what is shown before something is made or let in. */
export const AGENT_ROUTES: Record<string, Expectation> = {
  label_set: expects('owner', '404 unknown_subject', { ...NAMED, label: 'A name' }),
  label_remove: expects('owner', '404 unknown_label', NAMED),
  label_list: expects('owner', '200'),
  flow_external_grant_preview: expects('owner', '200', { flow_id: 'flow_research_brief' }),
  flow_external_grant_tools: expects('owner', '404 unknown_grant', { grant_id: 'fgrnt_00000000' }),
  tool_session_preview: expects('owner', '400 BAD_REQUEST', { service: '/nowhere-at-all' }),
  owner_request_list: expects('owner_surface', '200'),
  owner_consent_list: expects('owner_surface', '200'),
  owner_consent_show: expects('owner_surface', '404 unknown_consent', CONSENT),
  owner_consent_revoke: expects('owner_surface', '404 unknown_consent', CONSENT),
  client_settings: expects('owner', '200'),
}
