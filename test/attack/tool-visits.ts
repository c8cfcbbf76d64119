import type { Visit } from './attack.ts'
import { FIRST } from './hostile-branches.ts'
import { EDITABLE, PROBE, type World } from './world.ts'

/** What calls of a tool aim at while the attacker is at work, and the role that may call it. */
export interface Aim {
  readonly role: 'dev' | 'release_manager' | 'sre'
  readonly group: 'reading' | 'writing' | 'git' | 'commands' | 'knowledge' | 'system'
  readonly calls: readonly object[]
}

/** The names that the attacks swap: a folder, a file in it, a file. */
const FILES = ['d/f.txt', 'f.txt', 'd/sub/deep/x.txt', 'd/description'] as const
const edit = [{ operation: 'replace', spec: EDITABLE, content: `${EDITABLE}, edited` }]
const dev = (group: Aim['group'], ...calls: object[]): Aim => ({ role: 'dev', group, calls })
const onFiles = (more: object): object[] => FILES.map((path) => ({ path, ...more }))

/** Every tool there is; a new one has to get its line here. */
export const AIMS: Readonly<Record<string, Aim>> = {
  read_file: dev('reading', ...onFiles({})),
  search_file: dev('reading', { path: '.', regex: '.', recursive: true }, ...onFiles({ regex: '.' })),
  count_matches: dev('reading', { path: '.', regex: 'a', recursive: true }, { path: 'd/f.txt', regex: 'a' }),
  list_files: dev('reading', { path: 'd', recursive: true }, { path: '.', recursive: true }),
  write_file: dev('writing', ...['d/new.txt', 'd/f.txt'].map((path) => ({ path, content: `${EDITABLE}\n` }))),
  edit_file: dev('writing', ...onFiles({ edits: edit })),
  delete_file: dev('writing', { path: 'd/new.txt' }, { path: 'd/sub/deep/x.txt' }),
  git_status: dev('git', {}),
  git_diff: dev('git', {}, { staged: true }),
  git_add: dev('git', { files: ['d/f.txt'] }, { files: ['d/sub/deep/x.txt', 'f.txt'] }),
  git_commit: dev('git', { message: 'Change what may change' }),
  git_checkout: dev('git', { branch: 'lay-outside' }, { branch: 'work' }),
  git_push: {
    role: 'release_manager',
    group: 'git',
    calls: [{ remote: 'origin', branch: 'work', confirm: true }],
  },
  run_test: dev('commands', { target: PROBE }),
  run_lint: dev('commands', { target: PROBE }),
  install_dependencies: dev('commands', { manager: 'npm' }),
  search_knowledge: dev('knowledge', { query: 'our own text' }, { query: 'sibling barley', path: 'd' }),
  find_usage: dev('knowledge', { symbol: 'greeting' }, { symbol: 'text', path: 'd' }),
  get_related_tests: dev('knowledge', { file_path: 'src/main.mjs' }, { file_path: 'd/f.txt' }),
  get_system_map: dev('knowledge', {}, { root_dir: 'd' }),
  get_task_context: dev('knowledge', { task_id: '1.1' }),
  install_package: { role: 'sre', group: 'system', calls: [{ manager: 'pip', package: 'planted' }] },
  verify_binary: { role: 'sre', group: 'system', calls: [{ binary_name: 'sh' }] },
  system_ctl: { role: 'sre', group: 'system', calls: [{ service: 'planted.service', action: 'status' }] },
  migrate_config: { role: 'sre', group: 'system', calls: [{ target_version: 1 }] },
}

/** All calls of some groups of tools. */
export function visitsOf(...groups: readonly Aim['group'][]): Visit[] {
  return Object.entries(AIMS).flatMap(([tool, { group, calls }]) =>
    groups.includes(group) ? calls.map((args) => ({ tool, args })) : [],
  )
}

const TURNS: readonly (readonly Aim['group'][])[] = [
  ['reading', 'writing'],
  ['git'],
  ['reading', 'commands'],
  ['git', 'writing'],
  ['knowledge', 'system', 'reading'],
]

/** Another group of tools each round. */
export function visitsInTurn(round: number): Visit[] {
  return visitsOf(...(TURNS[round % TURNS.length] ?? []))
}

/** Lays down the second program's plan: it writes and reads through the names that are swapped. */
export function putProbe(world: World): void {
  const acts = ['limit 30', 'write d/planted-by-probe planted', 'show d/f.txt', 'show d/description']
  world.put(PROBE, [...acts, `show ${FIRST}`, 'show .env', 'show secrets/f.txt'].join('\n'))
}
