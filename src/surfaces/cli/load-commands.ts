import type { Operation } from '../../operations/define-operation.ts'
import { auditExportExtension } from './audit-export-command.ts'
import { auditVerifyExtension } from './audit-verify-command.ts'
import { boundaryComposeExtension } from './boundary-compose-command.ts'
import { boundaryRunExtension } from './boundary-run-command.ts'
import type { Command } from './command.ts'
import { doctorExtension } from './doctor-command.ts'
import { eventVerifyExtension } from './event-verify-command.ts'
import { EXTRA_COMMANDS } from './extra-commands.ts'
import { flowExportExtension } from './flow-export-command.ts'
import { flowProjectExtension } from './flow-project-command.ts'
import { collectorEnrollExtension, intentStepExtension } from './intent-commands.ts'
import { knowledgeExtension } from './knowledge-commands.ts'
import { ledgerExportExtension, ledgerVerifyExtension } from './ledger-commands.ts'
import { type Extension, operationCommand } from './operation-command.ts'
import { OPERATIONS_BY_COMMAND } from './operations-by-command.ts'
import { ownerAgentListExtension, ownerAgentRevokeExtension } from './owner-agent-commands.ts'
import { runWatchExtension } from './run-watch-command.ts'
import { toolSessionExtension } from './tool-session-command.ts'
import { fullWord } from './word-aliases.ts'

/** What some operations' commands do beyond calling them. */
const EXTENSIONS: Readonly<Record<string, Extension>> = {
  audit_export: auditExportExtension,
  audit_verify: auditVerifyExtension,
  boundary_compose: boundaryComposeExtension,
  boundary_run: boundaryRunExtension,
  doctor: doctorExtension,
  flow_export: flowExportExtension,
  flow_project: flowProjectExtension,
  knowledge_export: knowledgeExtension,
  knowledge_import: knowledgeExtension,
  knowledge_index: knowledgeExtension,
  knowledge_status: knowledgeExtension,
  tool_session_create: toolSessionExtension,
  ledger_export: ledgerExportExtension,
  ledger_verify: ledgerVerifyExtension,
  owner_collector_enroll: collectorEnrollExtension,
  owner_intent_authorize: intentStepExtension,
  owner_intent_complete: intentStepExtension,
  owner_agent_list: ownerAgentListExtension,
  owner_event_verify: eventVerifyExtension,
  owner_run_watch: runWatchExtension,
  owner_agent_revoke: ownerAgentRevokeExtension,
}

/** The one operation's command that these words begin with, if it can be told without loading all; and the extras. */
export async function loadLikelyCommands(words: readonly string[]): Promise<Command[]> {
  const full = words.map(fullWord)
  for (let count = full.length; count > 0; count--) {
    const name = full.slice(0, count).join(' ')
    if (!Object.hasOwn(OPERATIONS_BY_COMMAND, name)) continue
    const operation = await OPERATIONS_BY_COMMAND[name]?.()
    if (operation) return commandsOf([operation])
  }
  return [...EXTRA_COMMANDS]
}

/** Every command there is. */
export async function loadAllCommands(): Promise<Command[]> {
  return commandsOf((await import('../../domains/index.ts')).allOperations)
}

function commandsOf(operations: readonly Operation[]): Command[] {
  const derived = operations
    // Tools are called by name, through one command of their own.
    .filter(({ cli, authority }) => cli !== undefined && authority.kind !== 'seat')
    .map((operation) => operationCommand(operation, EXTENSIONS[operation.name]))
  return [...derived, ...EXTRA_COMMANDS]
}
