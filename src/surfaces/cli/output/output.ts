import type { Operation } from '../../../operations/define-operation.ts'
import { presentAny } from '../../../operations/present/present-any.ts'
import { counted, printable } from '../../../platform/basics/printable.ts'
import { UsageError } from '../cli-errors.ts'
import type { Command, Invocation } from '../command.ts'
import type { CallAnswer } from '../hub/connection.ts'
import { readErrorBody } from '../hub/error-body.ts'
import { hintAt } from '../hub/hub-place.ts'
import { hintFor, sentenceFor } from './hints.ts'
import { pageOf } from './page-of.ts'

/** Prints a finished call: with --json exactly the document, else what a person reads. Answers the exit code. */
export async function printAnswer(
  { present }: Pick<Operation, 'present'>,
  answer: CallAnswer,
  invocation: Invocation,
): Promise<number> {
  if (!answer.ok) return printRefusal(answer, invocation)
  const { io, env, globals } = invocation
  if (globals.json) io.stdout.write(`${answer.text}\n`)
  else {
    const shown = (await present?.()) ?? presentAny
    const page = pageOf(io, env, answer.place?.address)
    io.stdout.write(`${shown(JSON.parse(answer.text) as never, page)}\n`)
  }
  return 0
}

/** What the hub calls an input that it does not take: the line was wrong, and nothing was done. */
const WRONG_USAGE = ['BAD_REQUEST', 'invalid_request']

/** The exit code of a command that was not carried out. */
export function exitOf(code: string): 1 | 2 {
  return WRONG_USAGE.includes(code) ? 2 : 1
}

/** Prints why a call was refused, and answers the exit code. */
export function printRefusal(answer: CallAnswer, invocation: Invocation): number {
  const { io, globals } = invocation
  const { message, code } = readErrorBody(answer.text)
  const known = answer.code ?? code ?? 'RUNTIME_ERROR'
  const sentence = sentenceFor(known, message, answer.errors ?? {})
  const hint = adviceOn(known, answer, invocation)
  if (globals.json) io.stdout.write(`${withAdvice(answer.text, sentence, hint)}\n`)
  else printError(io.stderr, `Error (${known})`, sentence, hint)
  return exitOf(known)
}

function adviceOn(code: string, answer: CallAnswer, { command, globals }: Invocation): string {
  const wait = answer.retry_after_seconds
  if (wait !== undefined) return `Wait ${counted(wait, 'second')}, then try again.`
  if (exitOf(code) === 2) return helpHint(command)
  return hintAt(hintFor(code, answer.errors, { with_token: globals.token !== undefined }), answer.place)
}

/** Where a command tells what it takes. */
export function helpHint({ words }: Pick<Command, 'words'>): string {
  return `Run \`knowtation ${words.join(' ')} --help\` to see what it takes.`
}

/** The hub's own document, to the letter, with what a person is told put behind it. */
export function withAdvice(text: string, message: string, hint: string): string {
  const added = JSON.stringify({ message, hint })
  return `${text.trimEnd().slice(0, -1)},${added.slice(1)}`
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
  const isFilled = command.flags.some(({ name, fillsIn }) => fillsIn && flags.has(name))
  const missing = command.positionals.find(({ required }, at) => required && positionals[at] === undefined)
  if (missing && !isFilled) throw new UsageError(`<${missing.name}> is missing.`, help, code)
  const surplus = positionals[command.positionals.length]
  if (surplus !== undefined) throw new UsageError(`\`${surplus}\` is one word too many.`, help)
  if (isFilled) return
  const absent = command.flags.find(({ name, required }) => required && !flags.has(name))
  if (absent) {
    const value = absent.value === undefined ? '' : ` ${absent.value}`
    throw new UsageError(`--${absent.name}${value} is missing.`, help, code)
  }
}
