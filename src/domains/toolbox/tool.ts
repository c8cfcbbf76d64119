import type { z } from 'zod'
import type { Hub } from '../../operations/hub.ts'
import type { Guard } from '../../platform/guard/guard.ts'
import type { Patterns } from '../../platform/patterns/patterns.ts'
import type { Redactor } from '../../platform/redaction/redactor.ts'
import type { Sandbox } from '../../platform/sandbox/sandbox.ts'
import type { ProjectPolicy } from './policy/project-policy.ts'
import type { ToolContext, ToolRole } from './tool-context.ts'

/** What a tool has in its hands during one call. */
export interface ToolCall<Input> {
  readonly input: Input
  readonly context: ToolContext
  readonly policy: ProjectPolicy
  readonly guard: Guard
  readonly patterns: Patterns
  readonly sandbox: Sandbox
  /** Knows the project's own patterns and the secret values of this process. */
  readonly redactor: Redactor
  readonly hub: Hub
  readonly now: Date
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** A change that was made ready; closing it takes back what was not put in place. */
export interface Prepared {
  close(): Promise<void>
}

/** One tool: declared once, and made into an operation by `defineTool`. */
export interface ToolDeclaration<Input extends z.ZodObject, Output, Ready = void> {
  /** The contract's name. */
  name: string
  /** What an agent needs to know to use it well: what it does, its limits, what it refuses. */
  description: string
  /** `read` changes nothing outside the hub; the others are recorded before they act. */
  effect: 'read' | 'create' | 'update' | 'delete'
  idempotent?: boolean
  /** The roles that see and may call it. */
  roles: readonly ToolRole[]
  /** An exact match is needed, as the contract has it. */
  required_role?: ToolRole
  /** Still works while the policy file is damaged, by the strict defaults: it is the one that mends it. */
  mends_policy?: boolean
  /** Written to the security stream on every call, allowed or denied, with severity CRITICAL. */
  critical?: boolean
  /** It can reach other machines: a registry, a remote. */
  open_world?: boolean
  input: Input
  output: z.ZodType<unknown, Output>
  /** What can be refused before the call is recorded as allowed. Throws ToolFault, GuardDenied or FileFault. */
  check?: (call: ToolCall<z.output<Input>>) => void | Promise<void>
  /**
   * Makes a change ready before the call is recorded, so far that only the last step is left. None of it may change a
   * file that is there. It is closed in any case: when the call has ended, or when it cannot be recorded.
   */
  prepare?: (call: ToolCall<z.output<Input>>) => Promise<Ready & Prepared>
  /** Does it. Throws ToolFault, GuardDenied, FileFault, PatternInvalid, PatternTimeout or SandboxUnavailable. */
  handle: (call: ToolCall<z.output<Input>>, ready: Ready) => Output | Promise<Output>
}
