import { expect, test } from 'vitest'
import { allOperations } from '../../../domains/index.ts'
import type { Invocation } from '../command.ts'
import { findCommand, leadingWords } from '../find-command.ts'
import { GLOBAL_FLAGS } from '../line/globals.ts'
import { fillPlaces, namedPlaces } from '../line/named-places.ts'
import { parseArguments } from '../line/parse-arguments.ts'
import { readInput } from '../line/read-input.ts'
import { loadAllCommands } from '../load-commands.ts'
import { checkArity } from '../output/output.ts'
import { cliAt, temporaryFolder } from '../run-cli.fixture.ts'
import { exampleOf } from './examples.ts'

const TERMINAL = { isTerminal: true, columns: 80 }

test('the help of the program begins with where to start and fits a screen of 80 by 24', async () => {
  const cli = cliAt(temporaryFolder())
  for (const line of ['', '--help', 'help', '-h']) {
    const { exit, stdout } = await cli(line, TERMINAL)
    const lines = stdout.trimEnd().split('\n')
    expect([exit, lines[0]]).toEqual([0, 'Start here'])
    // The last line of the screen is for the prompt.
    expect(lines.length).toBeLessThan(24)
    expect(lines.filter((text) => text.length > 80)).toEqual([])
  }
})

test('it has the first word of every command, and says how to see all of them', async () => {
  const cli = cliAt(temporaryFolder())
  const { stdout } = await cli('--help')
  for (const { words } of await loadAllCommands()) expect(stdout).toMatch(new RegExp(`\\b${words[0]}\\b`))
  expect(stdout).toContain('knowtation help all')
  const all = await cli('help all')
  for (const { words } of await loadAllCommands()) expect(all.stdout).toContain(`  ${words.join(' ')}`)
})

/** The words of a line, as a shell splits them. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')
}

test('what every line of "Start here" names is a command', async () => {
  const commands = await loadAllCommands()
  const { stdout } = await cliAt(temporaryFolder())('--help', TERMINAL)
  const lines = stdout.split('\n\n')[0]?.split('\n').slice(1) ?? []
  expect(lines.length).toBeGreaterThan(3)
  for (const line of lines) {
    const [, typed = ''] = /^ {2}knowtation (.+?) {2,}/.exec(line) ?? []
    expect(findCommand(leadingWords(wordsOf(typed)).words, commands), line).toBeDefined()
  }
})

test("each command's help has an example, which it takes", async () => {
  const commands = await loadAllCommands()
  const cli = cliAt(temporaryFolder())
  const wrong: string[] = []
  for (const command of commands) {
    const example = exampleOf(command)
    const { stdout } = await cli([...command.words, '--help'])
    expect(stdout).toContain(`\nExample\n  ${example}\n`)
    const argv = wordsOf(example).slice(1)
    const { words, places } = leadingWords(argv)
    expect(findCommand(words, commands)?.words, example).toEqual(command.words)
    if (/[<>]/.test(example)) wrong.push(example)
    const taken = new Set(places.slice(0, command.words.length))
    const known = [...command.flags, ...namedPlaces(command), ...GLOBAL_FLAGS]
    const rest = argv.filter((_, at) => !taken.has(at))
    const { positionals, flags } = parseArguments(rest, known, '')
    const invocation = { command, positionals: fillPlaces(command, positionals, flags), flags, io: {} }
    checkArity(invocation as unknown as Invocation, '')
    const fault = await faultOf(invocation as unknown as Invocation)
    if (fault) wrong.push(`${example}: ${fault}`)
  }
  expect(wrong).toEqual([])
})

/** What the operation itself finds wrong with an example; documents that an example only names are left out. */
async function faultOf(invocation: Invocation): Promise<string | undefined> {
  const { command, flags, positionals } = invocation
  const name = command.words.join(' ')
  const operation = allOperations.find(({ cli }) => cli?.replace(/ [<[].*$/, '') === name)
  const isFile = [...positionals, ...[...flags.values()].flat()].some((text) => text.endsWith('.json'))
  if (!operation || isFile) return undefined
  const parsed = operation.input.safeParse(await readInput(operation, invocation))
  return parsed.success
    ? undefined
    : parsed.error.issues.map(({ path, message }) => `${path} ${message}`).join()
}

test('the version, asked as a flag and as a command', async () => {
  const cli = cliAt(temporaryFolder())
  for (const line of ['--version', '-V', 'version'])
    expect((await cli(line)).stdout).toMatch(/^knowtation \d+\.\d+\.\d+\n$/)
  const { schema, version } = JSON.parse((await cli('version --json')).stdout)
  expect([schema, version]).toEqual(['knowtation.version/v0', expect.stringMatching(/^\d+\.\d+\.\d+$/)])
})
