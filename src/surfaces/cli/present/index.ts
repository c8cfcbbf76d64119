import type { Page } from './page.ts'
import { presentAny } from './present-any.ts'
import {
  presentDeadLetters,
  presentEngines,
  presentExecution,
  presentExecutionList,
  presentLedgerEntry,
  presentLedgerList,
  presentLedgerVerification,
  presentLineage,
} from './present-boundary.ts'
import {
  presentCollectionRun,
  presentCollectionRuns,
  presentRecords,
  presentStartedRun,
  presentStreams,
  presentWatchedRun,
} from './present-collection.ts'
import {
  presentConnection,
  presentConnections,
  presentConnectors,
  presentDevices,
  presentDiagnostics,
  presentEventCheck,
  presentOwnerEvents,
  presentSchedule,
} from './present-connections.ts'
import { presentFlow } from './present-flow.ts'
import { presentFlowList } from './present-flow-list.ts'
import { presentExplanation, presentGrant, presentGrantList, presentInvocation } from './present-grants.ts'
import { presentAuditList, presentDoctor, presentWhoami } from './present-hub.ts'
import { presentAuthorization, presentIntent, presentIntents } from './present-intents.ts'
import { presentNewHubToken, presentNewSecretsKey } from './present-keys.ts'
import { presentOwnerAgents, presentOwnerLink, presentOwnerSessions } from './present-owner.ts'
import { presentDecision, presentProposal, presentProposalList } from './present-proposal.ts'
import { presentRun, presentRunList } from './present-runs.ts'
import {
  presentSubscription,
  presentSubscriptionEvents,
  presentSubscriptions,
} from './present-subscriptions.ts'
import { presentNewGrant, presentNewToken, presentTokenList } from './present-token.ts'
import {
  presentAlert,
  presentAlertList,
  presentLockList,
  presentNewLock,
  presentNewSession,
  presentReleasedLock,
  presentSession,
  presentSessionList,
  presentViolationList,
} from './present-toolbox.ts'

type Present = (body: unknown, page: Page) => string

/** Answers that read better than their plain fields. */
const PRESENTERS: Readonly<Record<string, Present>> = {
  flow_list: presentFlowList,
  flow_get: presentFlow,
  token_create: presentNewToken,
  token_list: presentTokenList,
  hub_token_rotate: presentNewHubToken,
  secrets_key_rotate: presentNewSecretsKey,
  flow_external_grant_mint: presentNewGrant,
  flow_external_grant_list: presentGrantList,
  flow_external_grant_revoke: presentGrant,
  flow_external_tool_invoke: presentInvocation,
  explain: presentExplanation,
  flow_propose: presentDecision,
  flow_propose_edit: presentDecision,
  flow_import: presentDecision,
  proposal_list: presentProposalList,
  proposal_show: presentProposal,
  proposal_evaluate: presentDecision,
  proposal_approve: presentDecision,
  proposal_discard: presentDecision,
  flow_run_list: presentRunList,
  flow_run_start: presentRun,
  flow_run_get: presentRun,
  flow_run_advance: presentRun,
  flow_run_evidence: presentRun,
  flow_run_submit_review: presentRun,
  boundary_run: presentExecution,
  boundary_show: presentExecution,
  boundary_cancel: presentExecution,
  boundary_dead_letter_replay: presentExecution,
  boundary_list: presentExecutionList,
  boundary_engines: presentEngines,
  boundary_dead_letter_list: presentDeadLetters,
  ledger_append: presentLedgerEntry,
  ledger_show: presentLedgerEntry,
  ledger_list: presentLedgerList,
  ledger_lineage: presentLineage,
  ledger_verify: presentLedgerVerification,
  tool_session_create: presentNewSession,
  tool_session_list: presentSessionList,
  tool_session_revoke: presentSession,
  violation_list: presentViolationList,
  alert_list: presentAlertList,
  alert_acknowledge: presentAlert,
  lock_add: presentNewLock,
  lock_list: presentLockList,
  lock_release: presentReleasedLock,
  owner_connection_intent_create: presentIntent,
  owner_intent_show: presentIntent,
  owner_intent_complete: presentIntent,
  owner_intent_cancel: presentIntent,
  owner_collector_enroll: presentIntent,
  owner_intent_list: presentIntents,
  owner_intent_authorize: presentAuthorization,
  owner_link_create: presentOwnerLink,
  owner_agent_list: presentOwnerAgents,
  owner_session_list: presentOwnerSessions,
  owner_connector_template_list: presentConnectors,
  owner_connection_list: presentConnections,
  owner_connection_show: presentConnection,
  owner_connection_rename: presentConnection,
  owner_connection_diagnostics: presentDiagnostics,
  owner_connection_schedule_set: presentSchedule,
  owner_connection_schedule_pause: presentSchedule,
  owner_connection_schedule_resume: presentSchedule,
  owner_device_list: presentDevices,
  owner_event_list: presentOwnerEvents,
  owner_event_verify: presentEventCheck,
  owner_connection_run: presentStartedRun,
  owner_run_list: presentCollectionRuns,
  owner_run_live_list: presentCollectionRuns,
  owner_run_show: presentCollectionRun,
  owner_run_cancel: presentCollectionRun,
  owner_run_watch: presentWatchedRun,
  owner_stream_list: presentStreams,
  owner_record_list: presentRecords,
  event_subscription_create: presentSubscription,
  event_subscription_show: presentSubscription,
  event_subscription_update: presentSubscription,
  event_subscription_list: presentSubscriptions,
  event_subscription_events: presentSubscriptionEvents,
  whoami: presentWhoami,
  doctor: presentDoctor,
  audit_list: presentAuditList,
}

/** An operation's answer as a person reads it. */
export function present(operation: string, body: unknown, page: Page): string {
  const presenter = Object.hasOwn(PRESENTERS, operation) ? PRESENTERS[operation] : undefined
  return (presenter ?? presentAny)(body, page)
}
