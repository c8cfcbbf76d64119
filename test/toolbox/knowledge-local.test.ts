import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { PROGRAM } from '../harness/run-program.ts'
import { verifies } from '../requirements/verifies.ts'
import { settle } from './knowledge-project.fixture.ts'
import { makeToolProject, type ToolProject } from './surface-project.fixture.ts'

const CONNECTIONS = /\b(?:connect|sendto|sendmsg)\(.*sa_family=AF_INET6?/

function args(project: ToolProject, ...words: string[]): string[] {
  const home = join(project.base, 'home')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  return [PROGRAM, ...words, '--home', home, '--json']
}

/** A command in a sandbox without any network but its own loopback, and without the rights of root. */
async function runUnplugged(project: ToolProject, ...words: string[]): Promise<string> {
  const rights = ['--unshare-user', '--unshare-net', '--uid', '1000', '--gid', '1000', '--die-with-parent']
  const mounts = [
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--bind',
    project.base,
    project.base,
  ]
  const child = spawn('bwrap', [...rights, ...mounts, process.execPath, ...args(project, ...words)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return text(child.stdout)
}

verifies(
  'TOOL-109',
  'is indexed and searched where there is no network at all',
  async () => {
    using project = makeToolProject(null)
    project.write('docs/specs/bus.md', '# Event bus\n\nHow the bus delivers messages.\n')
    project.write('docs/closed.md', '# A closed file\n')
    chmodSync(join(project.root, 'docs/closed.md'), 0)
    const told = JSON.parse(await runUnplugged(project, 'knowledge', 'index', '--project', project.root))
    expect(told).toMatchObject({ mode: 'full', embedded: told.files, skipped: { unreadable: 1 } })
    const seat = ['--project', project.root, '--service', 'services/web']
    const call = [
      'tool',
      'call',
      'search_knowledge',
      '--args',
      '{"query":"how does the bus deliver?"}',
      ...seat,
    ]
    const { data } = JSON.parse(await runUnplugged(project, ...call))
    expect([data.warning, data.results[0].path]).toEqual([undefined, '../../docs/specs/bus.md'])
    await settle(project.root)
  },
  60_000,
)

verifies(
  'TOOL-109',
  'connects to nothing outside of the machine, as the kernel sees it',
  async () => {
    using project = makeToolProject(null)
    project.write('docs/specs/bus.md', '# Event bus\n\nHow the bus delivers messages.\n')
    const log = join(project.base, 'calls.log')
    const watched = (...words: string[]) =>
      execFileSync('strace', [
        '-f',
        '-qq',
        '-e',
        'trace=network',
        '-o',
        log,
        process.execPath,
        ...args(project, ...words),
      ])
    watched('knowledge', 'index', '--project', project.root)
    const seat = ['--project', project.root, '--service', 'services/web']
    const first = readFileSync(log, 'utf8')
    watched('tool', 'call', 'search_knowledge', '--args', '{"query":"bus"}', ...seat)
    await settle(project.root)
    for (const calls of [first, readFileSync(log, 'utf8')]) expect(calls).not.toMatch(CONNECTIONS)
    rmSync(log)
  },
  60_000,
)

test('the look at connections sees one', () => {
  expect('1 connect(3, {sa_family=AF_INET, sin_port=htons(80)}, 16) = 0').toMatch(CONNECTIONS)
})
