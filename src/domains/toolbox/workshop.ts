import type { Hub } from '../../operations/hub.ts'
import { keptLately } from '../../platform/basics/kept-lately.ts'
import { keptWith } from '../../platform/basics/kept-with.ts'
import { onceATurn } from '../../platform/basics/once-a-turn.ts'
import { folderCalls } from '../../platform/guard/folder-calls.ts'
import type { Guard } from '../../platform/guard/guard.ts'
import type { Caller, ToolboxSeat } from '../../platform/identity/caller.ts'
import { openPatterns } from '../../platform/patterns/open-patterns.ts'
import type { Patterns } from '../../platform/patterns/patterns.ts'
import { createRedactor, type Redactor } from '../../platform/redaction/redactor.ts'
import { openSandbox } from '../../platform/sandbox/open-sandbox.ts'
import type { Sandbox } from '../../platform/sandbox/sandbox.ts'
import { plainFault } from './as-fault.ts'
import { guardScopeOf } from './guard-scope.ts'
import { type KeyedScope, keepGuards } from './kept-guards.ts'
import { followProjectPolicy } from './policy/follow-project-policy.ts'
import type { ProjectPolicy } from './policy/project-policy.ts'
import {
  ISOLATION_LEVELS,
  type IsolationLevel,
  TOOL_ROLES,
  type ToolContext,
  type ToolRole,
} from './tool-context.ts'
import { ToolFault } from './tool-fault.ts'

/** What is kept open for a few seats at once; the longest unused one is let go. */
const KEPT_GUARDS = 64
const KEPT_REDACTORS = 64
const KEPT_PROJECTS = 256

/** Everything the tools of one hub share from call to call. */
export interface Workshop {
  readonly patterns: Patterns
  readonly sandbox: Sandbox
  policyOf(project_root: string): ProjectPolicy
  /** Lets a call work with the guard of its place; it stays open until the work has ended. */
  useGuard<Result>(
    context: ToolContext,
    policy: ProjectPolicy,
    work: (guard: Guard) => Promise<Result>,
  ): Promise<Result>
  /** Knows the project's patterns, the secrets of this process and those of the seat. */
  redactorOf(tool: string, policy: ProjectPolicy | undefined, access_token: string | undefined): Redactor
}

/** The workshop of a hub; the first call opens it, and it closes with the hub. */
export const workshopOf = keptWith(openWorkshop, ({ db }) => db)

function openWorkshop(hub: Hub): Workshop {
  const patterns = openPatterns()
  const projects = keptLately(KEPT_PROJECTS, followProjectPolicy)
  const guards = keepGuards(KEPT_GUARDS)
  const scopesOf = keptWith(scopesUnder([hub.home.folder]))
  const redactors = keptLately(KEPT_REDACTORS, (key) => makeRedactor(hub, JSON.parse(key) as RedactorKey))
  hub.closing.push(async () => {
    guards.close()
    await patterns.close()
  })
  return {
    patterns,
    sandbox: openSandbox(),
    policyOf: onceATurn((project_root) => projects(project_root)()),
    useGuard: (context, policy, work) => guards.use(scopesOf(policy)(placeOf(context)), work),
    redactorOf: (tool, policy, access_token) =>
      redactors(redactorKeysOf(policy ?? NO_POLICY)(tool, access_token)),
  }
}

/** Where a call works, in one text: no path has the sign that parts them. */
function placeOf({ role, project_root, service_root }: ToolContext): string {
  return `${role}\0${project_root}\0${service_root}`
}

/** The scopes that a policy gives, each made once: its key alone would take as long as reading a file. */
function scopesUnder(closed_paths: readonly string[]) {
  return (policy: ProjectPolicy) =>
    keptLately<KeyedScope>(KEPT_GUARDS, (place) => {
      const [role, project_root, service_root] = place.split('\0') as [ToolRole, string, string]
      const scope = guardScopeOf({ role, project_root, service_root }, policy, closed_paths)
      return { key: JSON.stringify(scope), scope }
    })
}

type Redacting = Pick<ProjectPolicy, 'redact_patterns' | 'redaction_exceptions'>

const NO_POLICY: Redacting = { redact_patterns: [], redaction_exceptions: {} }

/** The keys of redactors under a policy, made once for each tool that nobody gave a token to. */
const redactorKeysOf = keptWith(({ redact_patterns, redaction_exceptions }: Redacting) => {
  const keyOf = (tool: string, known: readonly string[]) =>
    JSON.stringify({
      patterns: redact_patterns,
      exceptions: redaction_exceptions[tool] ?? [],
      known,
    } satisfies RedactorKey)
  const without_token = keptLately(KEPT_REDACTORS, (tool) => keyOf(tool, []))
  return (tool: string, access_token: string | undefined) =>
    access_token === undefined ? without_token(tool) : keyOf(tool, [access_token])
})

interface RedactorKey {
  patterns: readonly string[]
  exceptions: readonly string[]
  known: readonly string[]
}

function makeRedactor(hub: Hub, key: RedactorKey): Redactor {
  return createRedactor({ environment: hub.env, remembers: true, ...key })
}

/** The context of an agent's calls, from the seat that the engine gave it. */
export function contextOf({ seat }: Caller, policy: ProjectPolicy): ToolContext {
  if (!seat || !(TOOL_ROLES as readonly string[]).includes(seat.role)) throw plainFault('PermissionDenied')
  return {
    project_root: seat.project_root,
    service_root: seat.service_root,
    isolation_level: isolationOf(seat, policy),
    allowed_commands: seat.allowed_commands,
    access_token: seat.access_token,
    volume_id: volumeOf(seat.service_root),
    role: seat.role as ToolRole,
    agent_id: seat.agent_id,
  }
}

function isolationOf({ isolation_level }: ToolboxSeat, policy: ProjectPolicy): IsolationLevel {
  const level = isolation_level ?? policy.isolation_level
  if ((ISOLATION_LEVELS as readonly string[]).includes(level)) return level as IsolationLevel
  throw new ToolFault(
    'ValidationError',
    'The isolation level is not one there is.',
    `Use ${ISOLATION_LEVELS.join(' or ')}.`,
  )
}

const volumeOf = onceATurn((service_root) => {
  const found = findQuietly(service_root)
  if (found) return `dev:${found.dev}`
  throw new ToolFault(
    'FileNotFound',
    'The folder of the service is not there.',
    'Ask the owner to check the service of this session.',
  )
})

function findQuietly(path: string) {
  try {
    return folderCalls().findPath(path)
  } catch {
    return undefined
  }
}
