import { counted } from '../../platform/basics/counted.ts'
import { UsageError } from './cli-errors.ts'
import type { Invocation } from './command.ts'
import type { CallAnswer } from './connection.ts'
import { readErrorBody } from './error-body.ts'
import { hintFor, sentenceFor } from './hints.ts'
import { present } from './present/index.ts'
import { pageOf } from './present/page.ts'
import { printable } from './present/printable.ts'

/** Prints a finished call: with --json exactly the document, else what a person reads. Answers the exit code. */
export function printAnswer(operation: string, answer: CallAnswer, invocation: Invocation): number {
  if (!answer.ok) return printRefusal(answer, invocation)
  const { io, env, globals } = invocation
  const text = globals.json ? answer.text : present(operation, JSON.parse(answer.text), pageOf(io, env))
  io.stdout.write(`${text}\n`)
  return 0
}

/** Prints why a call was refused. */
export function printRefusal(answer: CallAnswer, invocation: Invocation): number {
  if (invocation.globals.json) {
    invocation.io.stdout.write(`${answer.text}\n`)
    return 1
  }
  const { message, code } = readErrorBody(answer.text)
  const known = answer.code ?? code ?? 'RUNTIME_ERROR'
  const wait = answer.retry_after_seconds
  const with_token = invocation.globals.token !== undefined
  const hint =
    wait === undefined ? hintFor(known, { with_token }) : `Wait ${counted(wait, 'second')}, then try again.`
  printError(invocation.io.stderr, `Error (${known})`, sentenceFor(known, message), hint)
  return 1
}

/** Prints an error; its last line says what to do. */
export function printError(
  stderr: { write(text: string): unknown },
  start: string,
  message: string,
  hint: string,
): void {
  stderr.write(`${printable(`${start}: ${message}`)}\n${printable(`Hint: ${hint}`)}\n`)
}

/** Prints a line or more for a person, unless a program asked for JSON. */
export function printForPerson(invocation: Invocation, text: string): void {
  if (!invocation.globals.json) invocation.io.stdout.write(`${printable(text)}\n`)
}

/** Refuses more words than a command takes, and fewer than it needs. */
export function checkArity({ command, positionals, flags }: Invocation, help: string): void {
  // An operation that lacks an input is refused with the same code here as by the hub.
  const code = command.reach === 'hub' ? 'BAD_REQUEST' : undefined
  const missing = command.positionals.find(({ required }, at) => required && positionals[at] === undefined)
  if (missing) throw new UsageError(`<${missing.name}> is missing.`, help, code)
  const surplus = positionals[command.positionals.length]
  if (surplus !== undefined) throw new UsageError(`\`${surplus}\` is one word too many.`, help)
  if (command.flags.some(({ name, fillsIn }) => fillsIn && flags.has(name))) return
  const absent = command.flags.find(({ name, required }) => required && !flags.has(name))
  if (absent) {
    const value = absent.value === undefined ? '' : ` ${absent.value}`
    throw new UsageError(`--${absent.name}${value} is missing.`, help, code)
  }
}
