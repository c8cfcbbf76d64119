import type { Operation } from '../../operations/define-operation.ts'
import type { Command } from './command.ts'
import { EXTRA_COMMANDS } from './extra-commands.ts'
import { fullWord } from './line/word-aliases.ts'
import { type Extension, operationCommand } from './operation-command.ts'
import { OPERATIONS_BY_COMMAND } from './operations-by-command.ts'

/** What some operations' commands do beyond calling them; each is loaded with its operation. */
const EXTENSIONS: Readonly<Record<string, () => Promise<Extension>>> = {
  audit_export: async () => (await import('./commands/exports/audit-export-command.ts')).auditExportExtension,
  audit_list: async () => (await import('./commands/audit-list-command.ts')).auditListExtension,
  audit_verify: async () => (await import('./commands/exports/audit-verify-command.ts')).auditVerifyExtension,
  boundary_compose: async () =>
    (await import('./commands/boundary-compose-command.ts')).boundaryComposeExtension,
  boundary_run: async () => (await import('./commands/boundary-run-command.ts')).boundaryRunExtension,
  doctor: async () => (await import('./commands/doctor-command.ts')).doctorExtension,
  flow_export: async () => (await import('./commands/flow-export-command.ts')).flowExportExtension,
  flow_read: async () => (await import('./commands/flow-export-command.ts')).flowReadExtension,
  flow_text: async () => (await import('./commands/flow-export-command.ts')).flowTextExtension,
  flow_project: async () => (await import('./commands/flow-project-command.ts')).flowProjectExtension,
  knowledge_export: async () => (await import('./commands/knowledge-commands.ts')).knowledgeExtension,
  knowledge_import: async () => (await import('./commands/knowledge-commands.ts')).knowledgeExtension,
  knowledge_index: async () => (await import('./commands/knowledge-commands.ts')).knowledgeExtension,
  knowledge_status: async () => (await import('./commands/knowledge-commands.ts')).knowledgeExtension,
  tool_session_create: async () => (await import('./commands/tool-session-command.ts')).toolSessionExtension,
  ledger_export: async () => (await import('./commands/exports/ledger-commands.ts')).ledgerExportExtension,
  ledger_verify: async () => (await import('./commands/exports/ledger-commands.ts')).ledgerVerifyExtension,
  owner_collector_enroll: async () =>
    (await import('./commands/intent-commands.ts')).collectorEnrollExtension,
  owner_intent_authorize: async () => (await import('./commands/intent-commands.ts')).intentStepExtension,
  owner_intent_complete: async () => (await import('./commands/intent-commands.ts')).intentStepExtension,
  owner_agent_list: async () => (await import('./commands/owner-agent-commands.ts')).ownerAgentListExtension,
  owner_event_verify: async () => (await import('./commands/event-verify-command.ts')).eventVerifyExtension,
  owner_policy_check: async () => (await import('./commands/policy-commands.ts')).policyCheckExtension,
  owner_policy_edit: async () => (await import('./commands/policy-commands.ts')).policyEditExtension,
  owner_provider_import: async () =>
    (await import('./commands/provider-import/import-from-file.ts')).providerImportExtension,
  owner_run_watch: async () => (await import('./commands/run-watch-command.ts')).runWatchExtension,
  owner_agent_revoke: async () =>
    (await import('./commands/owner-agent-commands.ts')).ownerAgentRevokeExtension,
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

async function commandsOf(operations: readonly Operation[]): Promise<Command[]> {
  const derived = operations
    // Tools are called by name, through one command of their own.
    .filter(({ cli, authority }) => cli !== undefined && authority.kind !== 'seat')
    .map(async (operation) => operationCommand(operation, await EXTENSIONS[operation.name]?.()))
  return [...(await Promise.all(derived)), ...EXTRA_COMMANDS]
}
