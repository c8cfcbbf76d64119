import { isCommandFailure, isUsageError } from './cli-errors.ts'
import type { CliIo } from './cli-io.ts'
import type { Command, Invocation } from './command.ts'
import { printVersion } from './commands/version-command.ts'
import {
  commandsUnder,
  findCommand,
  flagTooSoon,
  type LeadingWords,
  leadingWords,
  unfinishedCommand,
  unknownCommand,
} from './find-command.ts'
import { renderAllCommands, renderCommandHelp, renderGroupHelp, renderProgramHelp } from './help/help.ts'
import { GLOBAL_FLAGS, readGlobals } from './line/globals.ts'
import { fillPlaces, namedPlaces } from './line/named-places.ts'
import { parseArguments } from './line/parse-arguments.ts'
import { loadAllCommands, loadLikelyCommands } from './load-commands.ts'
import { guardedIo } from './output/guarded-io.ts'
import { hideBearers } from './output/hide-bearers.ts'
import { hintFor } from './output/hints.ts'
import { checkArity, exitOf, helpHint, printError, withAdvice } from './output/output.ts'
import { withProgress } from './output/progress.ts'

/** Runs one command line. Answers 0 for success, 1 for refused or failed, 2 for wrong usage. */
export async function runCli(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  streams: CliIo,
): Promise<number> {
  const io = guardedIo(streams)
  const json = wantsJson(argv)
  try {
    return await runCommandLine(argv, env, io)
  } catch (error) {
    return reportError(error, io, json)
  }
}

async function runCommandLine(argv: readonly string[], env: NodeJS.ProcessEnv, io: CliIo): Promise<number> {
  const { words, places, end } = leadingWords(argv)
  const before = flagsBeforeEnd(argv)
  if (words[0] === 'help') return showHelp(words.slice(1), io)
  if (before.includes('--help') || before.includes('-h')) return showHelp(words, io)
  if (words.length === 0 && (before.includes('--version') || before.includes('-V')))
    return printVersion(wantsJson(argv), io)
  const command = await requireCommand({ words, end }, io, wantsJson(argv))
  if (!command) return words.length === 0 && argv.length === 0 ? 0 : 2
  const taken = new Set(places.slice(0, command.words.length))
  return runCommand(
    command,
    argv.filter((_, at) => !taken.has(at)),
    env,
    io,
  )
}

function flagsBeforeEnd(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end < 0 ? argv : argv.slice(0, end)
}

/** Whether a program reads along. That has to be known also of a line that cannot be read as a whole. */
function wantsJson(argv: readonly string[]): boolean {
  const before = flagsBeforeEnd(argv)
  const last = before.findLastIndex((word) => /^--(no-)?json(=|$)/.test(word))
  return before[last] === '--json' ? before[last + 1] !== 'false' : before[last] === '--json=true'
}

/** The command, or nothing after showing a person the commands that begin with these words. */
async function requireCommand(
  { words, end }: Pick<LeadingWords, 'words' | 'end'>,
  io: CliIo,
  json: boolean,
): Promise<Command | undefined> {
  const likely = findCommand(words, await loadLikelyCommands(words))
  if (likely) return likely
  const all = await loadAllCommands()
  const found = findCommand(words, all)
  if (found) return found
  const under = commandsUnder(words, all)
  if (under.length === 0) throw unknownCommand(words, all)
  if (end !== undefined) throw flagTooSoon(end, words, under)
  if (json) throw unfinishedCommand(words)
  if (words.length === 0) {
    io.stdout.write(`${renderProgramHelp(all, io.columns)}\n`)
    return undefined
  }
  io.stderr.write(`${renderGroupHelp(words, under, io.columns)}\n`)
  return undefined
}

async function showHelp(words: readonly string[], io: CliIo): Promise<number> {
  const all = await loadAllCommands()
  if (words.join(' ') === 'all') {
    io.stdout.write(`${renderAllCommands(all, io.columns)}\n`)
    return 0
  }
  const command = findCommand(words, all)
  const under = commandsUnder(words, all)
  if (words.length > 0 && !command && under.length === 0) throw unknownCommand(words, all)
  const help = command
    ? renderCommandHelp(command, commandsUnder(command.words, all), io.columns)
    : words.length === 0
      ? renderProgramHelp(all, io.columns)
      : renderGroupHelp(words, under, io.columns)
  io.stdout.write(`${help}\n`)
  return 0
}

async function runCommand(
  command: Command,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  io: CliIo,
): Promise<number> {
  const name = `knowtation ${command.words.join(' ')}`
  const help = helpHint(command)
  const known = [...command.flags, ...namedPlaces(command), ...GLOBAL_FLAGS]
  const { positionals, flags } = parseArguments(argv, known, help)
  const invocation: Invocation = {
    command,
    positionals: fillPlaces(command, positionals, flags),
    flags,
    globals: readGlobals(flags, command, env),
    env,
    io,
  }
  checkArity(invocation, help)
  const isLasting = command.reach === 'home' || command.tellsProgress === true
  return isLasting ? command.run(invocation) : withProgress(io, name, () => command.run(invocation))
}

function reportError(error: unknown, io: CliIo, json: boolean): number {
  const writeJson = (message: string, code: string, hint: string) => {
    const body = JSON.stringify({ error: hideBearers(message), code })
    io.stdout.write(`${withAdvice(body, hideBearers(message), hideBearers(hint))}\n`)
  }
  const write = (start: string, message: string, hint: string) =>
    printError(io.stderr, start, hideBearers(message), hideBearers(hint))
  if (isUsageError(error)) {
    if (json) writeJson(error.message, error.code ?? 'USAGE_ERROR', error.hint)
    else write(error.code ? `Error (${error.code})` : 'Error', error.message, error.hint)
    return 2
  }
  const failure = isCommandFailure(error) ? error : undefined
  const code = failure?.code ?? 'RUNTIME_ERROR'
  const message = error instanceof Error ? error.message : 'Something unexpected happened.'
  const hint = failure?.hint ?? hintFor(code)
  if (json) writeJson(message, code, hint)
  else write(`Error (${code})`, message, hint)
  return exitOf(code)
}
