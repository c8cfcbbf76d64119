import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Command } from '../../src/surfaces/cli/command.ts'
import { GLOBAL_FLAGS } from '../../src/surfaces/cli/line/globals.ts'
import { loadAllCommands } from '../../src/surfaces/cli/load-commands.ts'
import { ROOT, readPage } from './run-guide.fixture.ts'

/** Every page that a person reads, but for what is generated and what tells of the past. */
const PAGES = globSync(['*.md', 'docs/*.md', 'engines/*.md', 'bench/*.md'], { cwd: ROOT }).filter(
  (page) => !['CHANGELOG.md', 'docs/operations.md'].includes(page),
)

test('every link of a page leads to a file that is there, and to a heading of it', () => {
  const broken = PAGES.flatMap((page) =>
    [...readPage(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, to = '']) => to)
      .filter((to) => !/^https?:/.test(to) && !isThere(page, to))
      .map((to) => `${page}: ${to}`),
  )
  expect(broken).toEqual([])
})

function isThere(page: string, to: string): boolean {
  const [path = '', anchor] = to.split('#')
  const file = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(ROOT, file))) return false
  return anchor === undefined || anchorsOf(readPage(file)).includes(anchor)
}

/** The anchors that a heading gets: lower case, blanks as dashes, other signs left out. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('every command that a page names is one, and has the flags that it is named with', async () => {
  const commands = await loadAllCommands()
  const named = PAGES.flatMap((page) => mentionsIn(readPage(page)).map((mention) => ({ page, mention })))
  expect(named.length).toBeGreaterThan(150)
  const wrong = named.filter(({ mention }) => !isCommand(mention, commands))
  expect(wrong.map(({ page, mention }) => `${page}: ${mention}`)).toEqual([])
})

test('every command that a hint, a page of the hub or a description names is one', async () => {
  const commands = await loadAllCommands()
  const sources = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) => !/\.(test|fixture)\.ts$/.test(file))
  const named = sources.flatMap((file) =>
    // A name that is filled in cannot be looked up here.
    [...readPage(file).matchAll(/(?:\\?`|<code>)knowtation ([a-z][^`\\<$]*)(?:\\?`|<)/g)].map(
      ([, line = '']) => `${file}: ${line}`,
    ),
  )
  expect(named.length).toBeGreaterThan(25)
  expect(named.filter((one) => !isCommand(one.split(': ')[1] ?? '', commands))).toEqual([])
})

/** What stands behind `knowtation` in code, up to where the shell would end the command. */
function mentionsIn(text: string): string[] {
  const joined = text
    .replace(/\\\n\s*/g, ' ')
    .replace(/`[^`\n]*\n[^`\n]*`/g, (code) => code.replace('\n', ' '))
  const found = joined.matchAll(/(?:npx |`)knowtation ([a-z-][^`|;&>)\n]*)/g)
  return [...found].map(([, line = '']) => line.trim())
}

function isCommand(mention: string, commands: readonly Command[]): boolean {
  if (mention === 'help all') return true
  const words = mention.split(/\s+/)
  const fits = commands.filter((command) => command.words.every((word, at) => words[at] === word))
  const [command] = fits.toSorted((a, b) => b.words.length - a.words.length)
  const isGroup = commands.some((one) =>
    words.every((word, at) => one.words[at] === word || /^[.…[-]/.test(word)),
  )
  if (!command) return isGroup || /^(--help|--version|<)/.test(mention)
  const flags = [...command.flags, ...GLOBAL_FLAGS].flatMap(({ name, aliases = [] }) => [name, ...aliases])
  const typed = [...mention.matchAll(/(?:^|\s)--([a-z][a-z-]*)/g)].map(([, name = '']) => name)
  return typed.every((name) => flags.includes(name))
}
