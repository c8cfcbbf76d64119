import { errorTable } from '../../operations/errors.ts'

/** What flow operations may refuse with. The texts name no flow, vault, scope or tool. */
export const flowErrors = errorTable({
  unknown_flow: {
    status: 404,
    message: 'unknown_flow',
    says: 'There is no such flow here.',
    hint: '`knowtation flow list` shows the flows you may see in this vault.',
  },
  FLOW_DRAFT_INVALID: {
    status: 400,
    message: 'The bundle is not a valid flow.',
    hint: 'Mend the bundle; `knowtation flow check FILE` checks it without storing it.',
  },
  FLOW_HARNESS_UNSUPPORTED: {
    status: 400,
    message: 'This harness is not served.',
    hint: 'Use --harness cursor_rule or cli_runbook; agent_bundle needs external_agent.enabled in policy.yaml.',
  },
  FLOW_SCOPE_AMBIGUOUS: {
    status: 400,
    message: 'The scope of the caller cannot be told.',
    hint: 'The owner settles it in members.yaml of the vault; see `knowtation doctor`.',
  },
  FLOW_SCOPE_DENIED: {
    status: 403,
    message: 'The caller has no authority over this scope.',
    hint: '`knowtation whoami` shows the scopes you may use.',
  },
  unknown_proposal: {
    status: 404,
    message: 'unknown_proposal',
    says: 'There is no such proposal here.',
    hint: '`knowtation proposal list` shows the proposals.',
  },
  FLOW_AUTHORING_DISABLED: {
    status: 403,
    message: 'Authoring of flows is off.',
    hint: 'Set flow_authoring.writes_enabled in policy.yaml of the vault, or FLOW_AUTHORING_WRITES=1.',
  },
  FLOW_AUTHORING_POLICY_FORBIDDEN: {
    status: 403,
    message: 'The policy forbids authoring of flows.',
    hint: 'flow_authoring.forbidden in policy.yaml of the vault says so, or FLOW_AUTHORING_FORBIDDEN.',
  },
  FLOW_IMPORT_BUNDLE_MALFORMED: { status: 400, message: 'The import is not a valid flow.' },
  FLOW_IMPORT_SCOPE_DENIED: { status: 403, message: 'The caller has no authority over this scope.' },
  FLOW_IMPORT_EXTERNAL_TOOL_DENIED: {
    status: 403,
    message: 'The import declares an external tool that is not on the allowlist.',
  },
  FLOW_IMPORT_AUTOMATABLE_DENIED: { status: 403, message: 'The import holds an automatable step.' },
  FLOW_LINEAGE_CONFLICT: {
    status: 409,
    message: 'The flow is not at the base of this proposal.',
    hint: '`knowtation flow export ID --json > FILE`, then `knowtation flow check FILE`, tell the newest version and its state id.',
  },
  FLOW_PROPOSAL_LIMIT: {
    status: 409,
    message: 'Too many proposals are open. Decide some of them first.',
    hint: '`knowtation proposal list --status proposed` shows those that are open.',
  },
  FLOW_PROPOSAL_NOT_OPEN: {
    status: 409,
    message: 'The proposal has been decided already.',
    hint: '`knowtation proposal show ID` tells how it was decided.',
  },
  FLOW_PROPOSAL_CHANGED: {
    status: 409,
    message: 'The draft is not the one that was read.',
    hint: '`knowtation proposal show ID` shows it as it is now, with its digest.',
  },
  FLOW_SELF_APPROVAL_DENIED: {
    status: 403,
    message: 'Over MCP, whoever made a proposal cannot let it pass. Another credential has to.',
  },
  EVALUATION_REQUIRED: {
    status: 403,
    message: 'The evaluation was not passed. Give a waiver_reason to approve nonetheless.',
    hint: 'Evaluate it again with `knowtation proposal evaluate`, or approve it with --waiver-reason.',
  },
  unknown_run: {
    status: 404,
    message: 'unknown_run',
    says: 'There is no such run here.',
    hint: '`knowtation flow run list <flow_id>` shows the runs of a flow.',
  },
  FLOW_RUN_WRITES_DISABLED: {
    status: 403,
    message: 'Runs of flows are off.',
    hint: 'Set flow_runs.writes_enabled in policy.yaml of the vault, or FLOW_RUN_WRITES_ENABLED=1.',
  },
  FLOW_RUN_NOT_IN_PROGRESS: {
    status: 409,
    message: 'The run has ended.',
    hint: '`knowtation flow run get` shows the step that the run is at, and what verifies it.',
  },
  FLOW_STEP_OUT_OF_ORDER: {
    status: 409,
    message: 'This step is not the one the run is at.',
    hint: '`knowtation flow run get` shows the step that the run is at, and what verifies it.',
  },
  FLOW_VERIFICATION_UNSATISFIED: {
    status: 403,
    message: 'The step is not verified by this.',
    hint: '`knowtation flow run get` shows the step that the run is at, and what verifies it.',
  },
  FLOW_AUTOMATABLE_EXECUTION_DISABLED: { status: 403, message: 'Execution of automatable steps is off.' },
  FLOW_EXECUTION_POLICY_FORBIDDEN: { status: 403, message: 'The policy forbids execution of steps.' },
  FLOW_EXECUTION_CONSENT_REQUIRED: { status: 403, message: 'Execution needs a consent for this run.' },
  unknown_grant: {
    status: 404,
    message: 'unknown_grant',
    says: 'There is no such grant here.',
    hint: '`knowtation flow grant list` shows the grants.',
  },
  FLOW_EXTERNAL_AGENT_DISABLED: {
    status: 403,
    message: 'Access for external agents is off.',
    hint: 'Set external_agent.enabled in policy.yaml of the vault, or FLOW_EXTERNAL_AGENT_ENABLED=1.',
  },
  FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN: {
    status: 403,
    message: 'The policy forbids external agents.',
    hint: 'external_agent.forbidden in policy.yaml of the vault says so, or FLOW_EXTERNAL_AGENT_FORBIDDEN.',
  },
  FLOW_EXTERNAL_TOOL_DENIED: {
    status: 403,
    message: 'The tool is not on the allowlist.',
    hint: 'Put the tool on allowed_tools in policy.yaml of the vault.',
  },
  FLOW_EXTERNAL_TOOL_UNKNOWN: {
    status: 400,
    message: 'The flow version does not declare the tool.',
    hint: '`knowtation flow get ID` names the tools of each step under skills.',
  },
  FLOW_EXTERNAL_GRANT_DENIED: {
    status: 403,
    message: 'No grant allows this.',
    hint: 'Put the bearer of a grant into KNOWTATION_GRANT_BEARER; `knowtation explain` tells the owner more.',
  },
  FLOW_EXTERNAL_GRANT_EXPIRED: {
    status: 403,
    message: 'The grant has expired.',
    hint: '`knowtation flow grant mint` makes another one.',
  },
  FLOW_EXTERNAL_GRANT_REVOKED: {
    status: 403,
    message: 'The grant was revoked.',
    hint: '`knowtation flow grant mint` makes another one.',
  },
  FLOW_EXTERNAL_GRANT_FLOW_MISMATCH: {
    status: 403,
    message: 'The grant is for another flow or version.',
    hint: '`knowtation flow grant list` shows what a grant is for; `knowtation explain` tells the owner why.',
  },
  FLOW_EXTERNAL_GRANT_TOOL_DENIED: {
    status: 403,
    message: 'The grant does not include the tool.',
    hint: '`knowtation flow grant list` shows what a grant is for; `knowtation explain` tells the owner why.',
  },
  FLOW_EXTERNAL_APPROVAL_DENIED: {
    status: 403,
    message: 'The owner has refused this call.',
    hint: '`knowtation approval show ID` tells the reason, if the owner gave one.',
  },
  FLOW_EXTERNAL_APPROVAL_EXPIRED: {
    status: 403,
    message:
      'The call was not approved in time, or not begun in time. Nothing was sent. Calling again asks anew.',
    hint: '`knowtation approval list` shows what waits.',
  },
  FLOW_EXTERNAL_APPROVAL_UNKNOWN: {
    status: 502,
    message: 'The call was begun once, and its answer is not known. It is not repeated by itself.',
    hint: 'Look at the tool itself whether it has happened; `knowtation approval show ID` tells what is known here.',
  },
  FLOW_EXTERNAL_PROVIDER_FAILED: {
    status: 502,
    message: 'The tool did not answer as it should.',
    hint: 'The lines above or the log of the hub tell more; the provider of a tool stands in policy.yaml of the vault.',
  },
  FLOW_EXTERNAL_PROVIDER_TIMEOUT: {
    status: 504,
    message: 'The tool did not answer in time.',
    hint: 'The lines above or the log of the hub tell more; the provider of a tool stands in policy.yaml of the vault.',
  },
  FLOW_HOSTED_PROJECTION_DISABLED: { status: 403, message: 'Hosted reads are off.' },
})
