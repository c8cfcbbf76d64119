import type { Hub } from '../../operations/hub.ts'
import { boundedCache } from '../../platform/basics/cache.ts'
import { partOf } from '../../platform/basics/part-of.ts'
import type { Guard } from '../../platform/guard/guard.ts'
import { findPath } from '../../platform/guard/kernel/folder-calls.ts'
import type { Caller, ToolboxSeat } from '../../platform/identity/caller.ts'
import { openPatterns } from '../../platform/patterns/open-patterns.ts'
import type { Patterns } from '../../platform/patterns/patterns.ts'
import { createRedactor, type Redactor } from '../../platform/redaction/redactor.ts'
import { openSandbox } from '../../platform/sandbox/open-sandbox.ts'
import type { Sandbox } from '../../platform/sandbox/sandbox.ts'
import { plainFault } from './as-fault.ts'
import { guardScopeOf } from './guard-scope.ts'
import { keepGuards } from './kept-guards.ts'
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
  redactorOf(tool: string, policy: Redacting | undefined, access_token: string | undefined): Redactor
}

/** The workshop of a hub; the first call opens it, and it closes with the hub. */
export const workshopOf = (hub: Hub) => partOf(hub, openWorkshop)

function openWorkshop(hub: Hub): Workshop {
  const patterns = openPatterns()
  const projects = boundedCache(KEPT_PROJECTS, followProjectPolicy)
  const guards = keepGuards(KEPT_GUARDS)
  const redactors = boundedCache(KEPT_REDACTORS, (key) => makeRedactor(hub, JSON.parse(key) as RedactorKey))
  hub.closing.push(async () => {
    guards.close()
    await patterns.close()
  })
  return {
    patterns,
    sandbox: openSandbox(),
    policyOf: (project_root) => projects(project_root)(),
    useGuard: (context, policy, work) => guards.use(guardScopeOf(context, policy, [hub.home.folder]), work),
    redactorOf: (tool, policy = NO_POLICY, access_token) =>
      redactors(
        JSON.stringify({
          patterns: policy.redact_patterns,
          exceptions: policy.redaction_exceptions[tool] ?? [],
          known: access_token === undefined ? [] : [access_token],
        } satisfies RedactorKey),
      ),
  }
}

type Redacting = Pick<ProjectPolicy, 'redact_patterns' | 'redaction_exceptions'>

const NO_POLICY: Redacting = { redact_patterns: [], redaction_exceptions: {} }

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

function volumeOf(service_root: string): string {
  const found = findQuietly(service_root)
  if (found) return `dev:${found.dev}`
  throw new ToolFault(
    'FileNotFound',
    'The folder of the service is not there.',
    'Ask the owner to check the service of this session.',
  )
}

function findQuietly(path: string) {
  try {
    return findPath(path)
  } catch {
    return undefined
  }
}
