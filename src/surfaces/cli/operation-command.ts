import type { Operation } from '../../operations/define-operation.ts'
import type { Command, Flag, Invocation } from './command.ts'
import { type CallAnswer, withConnection } from './hub/connection.ts'
import { flagsOf, positionalsOf } from './line/operation-flags.ts'
import { readInput } from './line/read-input.ts'
import { printAnswer } from './output/output.ts'

/** One operation, called from the command line. */
export interface OperationCall {
  readonly operation: Operation
  readonly invocation: Invocation
  readonly input: Record<string, unknown>
  /** Calls the operation, with another input where one is given. */
  call(input?: Record<string, unknown>): Promise<CallAnswer>
}

/** What a command does beyond its operation: more flags, and its own way of finishing. */
export interface Extension {
  readonly flags: readonly Flag[]
  readonly tellsProgress?: boolean
  /** Comes before anything is opened: may refuse, or answer an exit code when no hub is needed. */
  before?(invocation: Invocation): Promise<number | undefined>
  act(call: OperationCall): Promise<number>
}

/** The command of an operation, read off its definition. */
export function operationCommand(operation: Operation, extension?: Extension): Command {
  return {
    words: (operation.cli ?? '').split(' ').filter((word) => !word.startsWith('<')),
    summary: operation.summary,
    positionals: positionalsOf(operation),
    flags: [...flagsOf(operation), ...(extension?.flags ?? [])],
    reach: 'hub',
    // What changes or ends something needs something that was begun before.
    beginsHome: operation.effect === 'create',
    tellsProgress: extension?.tellsProgress,
    async run(invocation) {
      const done = await extension?.before?.(invocation)
      return done ?? runOperationCommand(operation, invocation, extension?.act ?? callAndPrint)
    },
  }
}

async function runOperationCommand(
  operation: Operation,
  invocation: Invocation,
  act: Extension['act'],
): Promise<number> {
  const input = await readInput(operation, invocation)
  return withConnection(await identified(operation, invocation), (connection) =>
    act({ operation, invocation, input, call: (other = input) => connection.call(operation, other) }),
  )
}

// Loaded when needed: most commands have nothing to do with the owner's agents.
async function identified({ authority }: Operation, invocation: Invocation): Promise<Invocation> {
  if (authority.kind !== 'owner_surface' || invocation.globals.url === undefined) return invocation
  return (await import('./hub/owner-credential.ts')).asOwnerAgent(invocation)
}

async function callAndPrint({ operation, invocation, call }: OperationCall): Promise<number> {
  return printAnswer(operation, await call(), invocation)
}
