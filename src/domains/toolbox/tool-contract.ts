import type { z } from 'zod'
import type { Contract, EndedCall } from '../../operations/define-operation.ts'
import { Refusal } from '../../operations/errors.ts'
import type { Redactor } from '../../platform/redaction/redactor.ts'
import { asFault, faultCodeOf, plainFault } from './as-fault.ts'
import { argumentsIn, isOnRecord, pathIn } from './critical-event.ts'
import { describeArguments } from './describe-arguments.ts'
import type { ToolDeclaration } from './tool.ts'
import { CHECKED_CODES } from './tool-errors.ts'
import { ToolFault } from './tool-fault.ts'
import { durationSince, type ResultMetadata, ToolRefusalForm } from './tool-result.ts'
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
      const data = redactorOf(tool, ended).redactValue(tool.output.parse(output))
      return renderResult(ended, 'passed', { status: 'success', data })
    },
    async renderRefusal(ended, refusal, text) {
      const fault = faultOf(tool, refusal, text)
      const checks = CHECKED_CODES.has(fault.code) && !fault.violation ? 'passed' : 'failed'
      return renderResult(ended, checks, { status: 'error', error: shownError(tool, ended, fault) })
    },
    async onRefused(ended, refusal) {
      await recordRefusal(tool, ended, faultOf(tool, refusal, refusal.reason))
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
  return JSON.stringify({ ...rest, metadata })
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

/** The security stream hears of what the guard and the whitelist refused, and of all critical calls. */
async function recordRefusal(tool: AnyTool, ended: EndedCall, fault: ToolFault): Promise<void> {
  const { hub, caller, vault_id, input } = ended
  const { violation } = fault
  const { role = 'none', agent_id = caller.id } = caller.seat ?? {}
  if (!violation && !isOnRecord(tool, role)) return
  await recordEvent(hub, undefined, redactorOf(tool, ended), {
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
