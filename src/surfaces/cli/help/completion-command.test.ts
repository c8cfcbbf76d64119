import { execFileSync } from 'node:child_process'
import { beforeAll, describe, expect, test } from 'vitest'
import { GLOBAL_FLAGS } from '../line/globals.ts'
import { loadAllCommands } from '../load-commands.ts'
import { cliAt } from '../run-cli.fixture.ts'

/** Reads lines as somebody types them up to the tabulator, and prints what bash would offer for each. */
const TYPIST = `complete -p knowtation
while IFS= read -r COMP_LINE; do
  COMP_POINT=\${#COMP_LINE}
  COMPREPLY=(left over)
  _knowtation
  echo "\${COMPREPLY[*]}"
done`

let script = ''
beforeAll(async () => {
  script = (await cliAt('/nowhere')('completion bash')).stdout
})

/** What a real bash, which knows nothing but the script, offers at the end of each line. */
function offers(...lines: string[]): string[][] {
  const [registered = '', ...told] = execFileSync('bash', ['--norc', '-u', '-c', `${script}\n${TYPIST}`], {
    input: lines.map((line) => `knowtation ${line}\n`).join(''),
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'inherit'],
  }).split('\n')
  expect(registered).toBe('complete -o default -F _knowtation knowtation')
  return lines.map((_, at) => (told[at] ?? '').split(' ').filter(Boolean))
}

const globals = GLOBAL_FLAGS.map(({ name }) => `--${name}`)

describe('in bash', () => {
  test('every command is completed word by word, and every flag of it', async () => {
    const commands = await loadAllCommands()
    const steps = commands.flatMap(({ words }) =>
      words.map((word, at) => ({ line: [...words.slice(0, at), word.slice(0, 2)].join(' '), word })),
    )
    const found = offers(...steps.map(({ line }) => line))
    for (const [at, { line, word }] of steps.entries()) expect(found[at], line).toContain(word)
    const flags = offers(...commands.map(({ words }) => `${words.join(' ')} --`))
    for (const [at, command] of commands.entries()) {
      const own = command.flags.flatMap(({ name, aliases = [] }) => [name, ...aliases])
      const long = own.filter((name) => name.length > 1).map((name) => `--${name}`)
      expect(flags[at]?.toSorted(), command.words.join(' ')).toEqual([...long, ...globals].toSorted())
    }
  })

  test('the first words are those of the help, and no other', async () => {
    const firsts = new Set((await loadAllCommands()).map(({ words }) => words[0]))
    expect(offers('')).toEqual([[...firsts].toSorted()])
  })

  test.each([
    ['lock ', 'list release'],
    ['lock list', 'list'],
    ['--json --home /x lock r', 'release'],
    ['--home=/x --vault default lock r', 'release'],
    ['lock release --js', '--json'],
    ['token create --role ', 'viewer editor evaluator admin'],
    ['token create --role ed', 'editor'],
    ['--url http://127.0.0.1:4747 token create --role v', 'viewer'],
    ['token create --label x --role v', 'viewer'],
    ['serve --log ', 'json text'],
    // Here any text will do, so the names of files are left to bash.
    ['flow get ', ''],
    ['flow get some_flow li', ''],
    ['--home ', ''],
    ['token create --label ', ''],
    ['flow export some_flow --out ./li', ''],
    ['flow list --url=http://127.0.0.1:47', ''],
    ['nonsense ', ''],
  ])('`knowtation %s` is offered: %s', (line, offered) => {
    expect(offers(line)).toEqual([offered.split(' ').filter(Boolean)])
  })
})

test('each shell has its script, which a program may have as JSON; another shell is refused', async () => {
  const cli = cliAt('/nowhere')
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { exit, stdout } = await cli(`completion ${shell}`)
    expect([exit, stdout.includes('flow grant')]).toEqual([0, true])
    const { stdout: json } = await cli(`completion ${shell} --json`)
    expect(JSON.parse(json)).toEqual({ shell, script: stdout.trimEnd() })
  }
  const other = await cli('completion tcsh')
  expect(other).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringContaining('bash, zsh, fish') })
})
