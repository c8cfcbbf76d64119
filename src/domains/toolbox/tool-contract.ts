import { z } from 'zod'
import type { Contract, EndedCall } from '../../operations/contract.ts'
import { Refusal } from '../../operations/errors.ts'
import { escapeHidden } from '../../platform/basics/hidden-signs.ts'
import type { Redactor } from '../../platform/redaction/redactor.ts'
import { asFault, faultCodeOf, plainFault } from './as-fault.ts'
import { argumentsIn, isOnRecord, pathIn } from './critical-event.ts'
import { type KnownHits, knownHitsOf } from './known-hits.ts'
import { durationSince, type ResultMetadata, ToolRefusalForm } from './result-contract.ts'
import type { ToolDeclaration } from './tool.ts'
import { CHECKED_CODES } from './tool-errors.ts'
import { ToolFault } from './tool-fault.ts'
import { recordEvent } from './watch/record-event.ts'
import { workshopOf } from './workshop.ts'

type AnyTool = Pick<ToolDeclaration<never, never>, 'name' | 'critical' | 'effect'> & {
  input?: z.ZodObject
  output: { parse(value: unknown): unknown }
}

/** A refusal that still knows the fault it came from. */
class ToolRefusal extends Refusal {
  readonly fault: ToolFault
  constructor(fault: ToolFault) {
    super(fault.code, fault.message, fault.retry_after_seconds)
    this.fault = fault
  }
}

/** Answers as `ToolResult`, faults by their names, and everything redacted. */
export function toolContract(tool: AnyTool): Contract {
  return {
    refusals: ToolRefusalForm,
    toRefusal(error) {
      const fault = asFault(error)
      return fault && new ToolRefusal(fault)
    },
    async renderSuccess(ended, output) {
      const redactor = redactorOf(tool, ended)
      const data = redactor.noting(hitsOf(ended).note).redactValue(tool.output.parse(output))
      if (isGuessing(redactor, ended)) await recordGuess(redactor, tool, ended)
      return renderResult(ended, 'passed', { status: 'success', data })
    },
    async renderRefusal(ended, refusal, text) {
      const fault = faultOf(tool, refusal, text)
      const is_checked = fault.is_checked || CHECKED_CODES.has(fault.code)
      const checks = is_checked && !fault.violation ? 'passed' : 'failed'
      return renderResult(ended, checks, { status: 'error', error: shownError(tool, ended, fault) })
    },
    async onRefused(ended, refusal) {
      const fault = faultOf(tool, refusal, refusal.reason)
      const redactor = redactorOf(tool, ended)
      await recordRefusal(redactor, tool, ended, fault)
      if (isGuessing(redactor, ended) && !fault.violation) await recordGuess(redactor, tool, ended)
    },
  }
}

function faultOf({ input }: AnyTool, refusal: Refusal, text: string | undefined): ToolFault {
  if (refusal instanceof ToolRefusal) return refusal.fault
  const code = faultCodeOf(refusal.code)
  const plain = plainFault(code, code === 'InternalError' ? undefined : text)
  if (refusal.code !== 'ValidationError' || !input) return plain
  return new ToolFault(code, plain.message, `${plain.suggestion} ${describeArguments(input)}`)
}

function renderResult(ended: EndedCall, security_checks: 'passed' | 'failed', rest: object): string {
  const metadata: ResultMetadata = { duration_ms: durationSince(ended.started), security_checks }
  // A name or a text that hides something shows it, and can be given back as it stands here.
  return escapeHidden(JSON.stringify({ ...rest, metadata }))
}

/** Words that cannot be checked for secrets are withheld. */
function shownError(tool: AnyTool, ended: EndedCall, fault: ToolFault): unknown {
  const { code, message, suggestion, details } = fault
  try {
    return redactorOf(tool, ended).redactValue({ code, message, suggestion, ...(details && { details }) })
  } catch {
    const withheld = plainFault('InternalError')
    return { code: withheld.code, message: withheld.message, suggestion: withheld.suggestion }
  }
}

function redactorOf(tool: AnyTool, { hub, caller }: EndedCall): Redactor {
  const workshop = workshopOf(hub)
  const policy = findPolicy(() => workshop.policyOf(caller.seat?.project_root ?? ''))
  return workshop.redactorOf(tool.name, policy, caller.seat?.access_token)
}

/** A damaged policy refuses the call; what it would have added to the redactor is then not to be had. */
function findPolicy<Policy>(read: () => Policy): Policy | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Whether the agent meets more of the values that the hub knows exactly than it can by accident. */
function isGuessing(redactor: Redactor, ended: EndedCall): boolean {
  const given = new Set<string>()
  try {
    redactor.noting((value) => given.add(value)).redactValue(ended.input ?? null)
  } catch {
    // Too deep to be looked through, and refused for it.
  }
  return hitsOf(ended).endCall(given)
}

function hitsOf({ hub, vault_id, caller: { id, seat } }: EndedCall): KnownHits {
  return knownHitsOf(hub, vault_id, seat?.agent_id ?? id)
}

function recordGuess(redactor: Redactor, tool: AnyTool, ended: EndedCall): Promise<unknown> {
  const { hub, caller, vault_id } = ended
  return recordEvent(hub, undefined, redactor, {
    kind: 'violation',
    vault_id,
    agent_id: caller.seat?.agent_id ?? caller.id,
    violation_type: 'known_value_guessed',
    target_path: null,
    command_args: [tool.name],
  })
}

/** The security stream hears of what the guard and the whitelist refused, and of all critical calls. */
async function recordRefusal(
  redactor: Redactor,
  tool: AnyTool,
  ended: EndedCall,
  fault: ToolFault,
): Promise<void> {
  const { hub, caller, vault_id, input } = ended
  const { violation } = fault
  const { role = 'none', agent_id = caller.id } = caller.seat ?? {}
  if (!violation && !isOnRecord(tool, role)) return
  await recordEvent(hub, undefined, redactor, {
    kind: violation ? 'violation' : 'denied',
    vault_id,
    agent_id,
    violation_type: violation?.violation_type ?? 'critical_action_denied',
    target_path: violation?.target_path ?? pathIn(input),
    command_args:
      violation && violation.command_args.length > 0
        ? violation.command_args
        : [tool.name, ...argumentsIn(input)],
    severity: tool.critical === true ? 'CRITICAL' : 'WARNING',
  })
}

/** The part of a JSON Schema that tells which names there are. */
interface Named {
  readonly properties?: Readonly<Record<string, Named>>
  readonly required?: readonly string[]
  readonly items?: Named
}

/** Names what a tool takes, for a caller who has taken it for another tool. */
function describeArguments(input: z.ZodObject): string {
  const names = listNames(z.toJSONSchema(input, { io: 'input' }) as Named)
  return `It takes ${names || 'no arguments'}.`
}

function listNames({ properties = {}, required = [] }: Named): string {
  const told = Object.entries(properties).map(([name, { items }]) => {
    const parts = items?.properties ? `list of { ${listNames(items)} }` : ''
    const notes = [required.includes(name) ? '' : 'optional', parts].filter((note) => note !== '')
    return notes.length === 0 ? name : `${name} (${notes.join(', ')})`
  })
  return told.join(', ')
}
