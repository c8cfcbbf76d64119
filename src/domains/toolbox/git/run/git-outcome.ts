import type { CommandOutcome } from '../../../../platform/sandbox/sandbox.ts'
import { ToolFault } from '../../tool-fault.ts'

const MAX_REASON_CHARS = 300

/** Gives the outcome of a command that ended well; any other way to end becomes a fault. */
export function requireSuccess(outcome: CommandOutcome, what: string, suggestion: string): CommandOutcome {
  if (outcome.ended === 'output_limit' || outcome.dropped_bytes > 0) {
    throw new ToolFault('OutputLimitExceeded', `${what} printed too much.`, suggestion)
  }
  checkEnded(outcome, what)
  if (outcome.exit_code !== 0) throw failed(outcome, what, suggestion)
  return outcome
}

/** As above, for a command that only looks: what it printed before it grew too long is good. */
export function requireOutput(outcome: CommandOutcome, what: string): { text: string; is_cut: boolean } {
  const is_cut = outcome.ended === 'output_limit' || outcome.dropped_bytes > 0
  checkEnded(outcome, what)
  if (outcome.ended === 'finished' && outcome.exit_code !== 0)
    throw failed(outcome, what, 'Read stderr in the details.')
  return {
    text: is_cut ? outcome.stdout.slice(0, outcome.stdout.lastIndexOf('\n') + 1) : outcome.stdout,
    is_cut,
  }
}

function checkEnded({ ended }: CommandOutcome, what: string): void {
  if (ended === 'timeout') throw new ToolFault('Timeout', `${what} took too long.`, 'Try again later.')
  if (ended === 'cancelled') throw new ToolFault('Timeout', `${what} was stopped.`, 'Call the tool again.')
}

function failed(outcome: CommandOutcome, what: string, suggestion: string): ToolFault {
  const { stdout, stderr, exit_code } = outcome
  if (/\.lock': File exists/.test(stderr)) {
    return new ToolFault(
      'ResourceBusy',
      'Another git process holds the repository, or one that died left its lock.',
      'Wait and call again; if it stays so, ask the owner to remove the .lock file in .git.',
      { details: { stdout, stderr, exit_code } },
    )
  }
  const reason = stderr.trim() || stdout.trim() || `exit code ${exit_code}`
  return new ToolFault('CommandFailed', `${what} failed: ${shorten(reason)}`, suggestion, {
    details: { stdout, stderr, exit_code },
  })
}

/** Cut between words: the half of a secret would not be known for one. */
function shorten(reason: string): string {
  if (reason.length <= MAX_REASON_CHARS) return reason
  return `${reason.slice(0, MAX_REASON_CHARS).replace(/\S*$/, '')}…`
}
