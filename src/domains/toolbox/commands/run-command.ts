import {
  type CommandOutcome,
  type SandboxProfile,
  SandboxUnavailable,
} from '../../../platform/sandbox/sandbox.ts'
import { DISK_FILES, THREADS_PER_PROCESS } from '../../../platform/sandbox/sandbox-limits.ts'
import type { HeldTree } from '../../../platform/trees/hold-tree.ts'
import { ToolFault } from '../tool-fault.ts'
import { withTreeLock } from '../tree-lock.ts'
import type { CommandCall } from './command-call.ts'
import { MEMORY_BYTES, OUTPUT_BYTES, PROCESSES } from './command-limits.ts'
import { cutOutput, type Truncation } from './cut-output.ts'
import { lookAfter, lookAfterKilled, noteKnown } from './known-before.ts'
import { knownPaths } from './planted-paths.ts'
import type { ProgramPlaces } from './program-places.ts'
import { closedToCommand, type ProfileNeeds, serviceProfile, standInProfile } from './service-profile.ts'
import { holdsGap, withoutHalfWords } from './whole-words.ts'

const NOT_FOUND = 127
const NOT_FOUND_HINT =
  'Read stderr in the details. A program that was not found has to be installed by the owner, or its folder ' +
  'be named in KNOWTATION_TOOLCHAIN_PATH.'

/** A command made ready: what it needs around it, and what it is. */
export interface ReadyCommand {
  readonly places: ProgramPlaces
  readonly needs: ProfileNeeds
  readonly argv: readonly string[]
  readonly timeout_ms: number
  readonly truncation: Truncation
}

/** What a command leaves to show, as tools answer it. */
export interface CommandReport {
  readonly stdout: string
  readonly stderr: string
  readonly exit_code: number | null
  /** What was left out of the streams. */
  readonly notice: string | null
}

/** Runs a command in the sandbox and answers what it said; every end but success is thrown. */
export function runCommand(call: CommandCall, command: ReadyCommand): Promise<CommandReport> {
  return withTreeLock(call, (tree) => runInTree(call, tree, command))
}

/** The same for a call that holds its service already. */
export async function runInTree(
  call: CommandCall,
  tree: HeldTree,
  command: ReadyCommand,
): Promise<CommandReport> {
  const { outcome, planted } = await runAlone(call, tree, command)
  const report = reportOf(call, outcome, command.truncation)
  if (planted !== undefined) throw withDetails(planted, report)
  if (outcome.ended === 'finished' && outcome.exit_code === 0) return report
  throw faultOf(outcome, report, command, call.policy)
}

async function runAlone(
  call: CommandCall,
  tree: HeldTree,
  command: ReadyCommand,
): Promise<{ outcome: CommandOutcome; planted: ToolFault | undefined }> {
  const { places, needs } = command
  if (needs.service_content !== undefined) {
    const profile = standInProfile(call, places, needs, needs.service_content)
    return { outcome: await runSandboxed(call, profile, command), planted: undefined }
  }
  const left = lookAfterKilled(call)
  if (left !== undefined) throw left
  const closed = closedToCommand(call)
  const profile = serviceProfile(call, tree, closed, places, needs)
  if (needs.service_access === 'read') {
    return { outcome: await runSandboxed(call, profile, command), planted: undefined }
  }
  const known = knownPaths(closed)
  noteKnown(call, known)
  const look = (): ToolFault | undefined => lookAfter(call, known)
  const outcome = await runSandboxed(call, profile, command).catch((error: unknown) => {
    // It may have run all the same, and failed only when it was tidied up.
    throw look() ?? error
  })
  return { outcome, planted: look() }
}

function withDetails(fault: ToolFault, report: CommandReport): ToolFault {
  const { code, message, suggestion, violation } = fault
  return new ToolFault(code, message, suggestion, { details: { ...report }, ...(violation && { violation }) })
}

async function runSandboxed(
  { sandbox, signal, policy }: CommandCall,
  profile: SandboxProfile,
  command: ReadyCommand,
): Promise<CommandOutcome> {
  const limits = {
    timeout_ms: command.timeout_ms,
    output_bytes: OUTPUT_BYTES,
    memory_bytes: MEMORY_BYTES,
    processes: PROCESSES,
    disk_bytes: policy.disk_bytes,
    disk_reserve_bytes: policy.disk_reserve_bytes,
    keep: 'both_ends' as const,
  }
  try {
    return await sandbox.run(profile, command.argv, { limits, signal })
  } catch (error) {
    throw error instanceof SandboxUnavailable ? unavailable(error) : error
  }
}

/** Nothing is run without a jail; the owner is told how to get one. */
export function unavailable(error: SandboxUnavailable): ToolFault {
  return new ToolFault(
    'SandboxUnavailable',
    `Nothing was run: ${error.message}`,
    error.remedy ?? 'Ask the owner to look at the sandbox of this hub.',
    { cause: error },
  )
}

/** Secrets go before anything is cut: what is left of one that was cut would not be known for it. */
function reportOf({ redactor }: CommandCall, outcome: CommandOutcome, truncation: Truncation): CommandReport {
  const cut = (name: 'stdout' | 'stderr') => {
    const has_gap = outcome.dropped_bytes > 0 && holdsGap(outcome[name])
    const whole = has_gap ? withoutHalfWords(outcome[name]) : outcome[name]
    return cutOutput(name, redactor.redact(whole), truncation, has_gap)
  }
  const [stdout, stderr] = [cut('stdout'), cut('stderr')]
  const lost =
    outcome.dropped_bytes > 0 ? `${outcome.dropped_bytes} bytes of output were not kept.` : undefined
  const notices = [stdout.notice, stderr.notice, lost].filter((notice) => notice !== undefined)
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    exit_code: outcome.exit_code,
    notice: notices.length === 0 ? null : notices.join(' '),
  }
}

function faultOf(
  outcome: CommandOutcome,
  report: CommandReport,
  { timeout_ms }: ReadyCommand,
  policy: CommandCall['policy'],
): ToolFault {
  const { limit_hit } = outcome
  const more = { details: { ...report, ...(limit_hit && { limit_hit }) } }
  if (outcome.ended === 'timeout') {
    const text = `The command did not end within ${timeout_ms / 1000} seconds and was stopped with all it had started.`
    return new ToolFault(
      'Timeout',
      text,
      'Choose a smaller target, or ask the owner for a longer time.',
      more,
    )
  }
  if (outcome.ended === 'cancelled') {
    return new ToolFault('Timeout', 'The call was given up, and the command stopped.', 'Call again.', more)
  }
  if (outcome.ended === 'output_limit') {
    const text = `The command wrote far more than ${OUTPUT_BYTES} bytes and was stopped.`
    return new ToolFault(
      'OutputLimitExceeded',
      text,
      'Choose a smaller target, or make it less talkative.',
      more,
    )
  }
  return new ToolFault('CommandFailed', renderFailure(outcome, policy), suggestionFor(outcome), more)
}

function suggestionFor({ limit_hit, exit_code }: CommandOutcome): string {
  if (limit_hit === 'disk')
    return 'Write less, or ask the owner for more room: `limits` in .flow/config.json.'
  return exit_code === NOT_FOUND ? NOT_FOUND_HINT : 'Read stdout and stderr in the details.'
}

function renderFailure(
  { limit_hit, exit_code, signal }: CommandOutcome,
  { disk_bytes, disk_reserve_bytes }: CommandCall['policy'],
): string {
  if (limit_hit === 'memory')
    return `The command took more than ${MEMORY_BYTES} bytes of memory and was stopped.`
  if (limit_hit === 'processes')
    return `The command started more than ${PROCESSES} processes, or ${PROCESSES * THREADS_PER_PROCESS} threads, and was stopped.`
  if (limit_hit === 'disk')
    return `The command wrote more than ${disk_bytes} bytes or ${DISK_FILES} files to the disk, or left less than ${disk_reserve_bytes} bytes free there, and was stopped. What it wrote is still there.`
  return `The command ended with ${exit_code === null ? `signal ${signal ?? 'unknown'}` : `exit code ${exit_code}`}.`
}
