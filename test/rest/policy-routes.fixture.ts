/** The routes of the policy and its providers, and what the owner gets there. */
export const POLICY_ROUTES: readonly [name: string, answer: string, input: Record<string, unknown>][] = [
  ['owner_policy_show', '200', {}],
  ['owner_policy_history', '200', {}],
  ['owner_policy_edit', '400 policy_invalid', { text: 'no: policy' }],
  ['owner_policy_revert', '404 unknown_policy_revision', { revision: '99999' }],
  ['owner_policy_gate_open', '200', { gate: 'authoring' }],
  ['owner_policy_gate_close', '200', { gate: 'authoring' }],
  ['owner_policy_tool_add', '400 policy_invalid', { tool_id: 'x', provider: 'nope' }],
  ['owner_policy_tool_remove', '404 unknown_policy_tool', { tool_id: 'nope' }],
  ['owner_policy_tool_show', '404 unknown_policy_tool', { tool_id: 'nope' }],
  ['owner_policy_tool_test', '404 unknown_policy_tool', { tool_id: 'nope' }],
  ['owner_policy_check', '200', {}],
  ['owner_provider_list', '200', {}],
  ['owner_provider_add', '400 policy_invalid', { name: 'nothing' }],
  ['owner_provider_add_many', '400 policy_invalid', { providers: { nothing: {} } }],
  ['owner_provider_test', '404 unknown_provider', { name: 'nothing' }],
  ['owner_provider_remove', '404 unknown_provider', { name: 'nothing' }],
]
