import { execFileSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { FileFault, type Guard, GuardDenied, type GuardScope } from './guard.ts'
import { openGuard } from './open-guard.ts'

let has_kernel_calls = true

/** Whether guards that are opened from now on have the kernel's own calls, or walk every path. */
export function useKernelCalls(use: boolean): void {
  has_kernel_calls = use
}

/** What must never leave the places it lies in. */
export const CANARY = 'canary-of-the-outside'

const FILES: Record<string, string> = {
  'outside.txt': CANARY,
  'project/.flow/config.json': CANARY,
  'project/readme.txt': CANARY,
  'project/services/other/secret.txt': CANARY,
  'project/services/other/deep/secret.txt': CANARY,
  'project/services/svc-evil/x': CANARY,
  'project/services/sv/x': CANARY,
  'project/shared_contracts/api.json': 'shared_contracts',
  'project/shared/util.ts': 'shared',
  'project/shared/.env': CANARY,
  'project/contracts/c.txt': 'contracts',
  'project/services/svc/readme.md': 'readme',
  'project/services/svc/src/main.ts': 'main',
  'project/services/svc/src/deep/er/x.ts': 'deep',
  'project/services/svc/docs/a.md': 'docs',
  'project/services/svc/.environment': 'environment',
  'project/services/svc/secrets.md': 'about secrets',
  'project/services/svc/my_node_modules/ok.js': 'ok',
  'project/services/svc/.env': CANARY,
  'project/services/svc/.env.local': CANARY,
  'project/services/svc/sub/.env': CANARY,
  'project/services/svc/secrets/k': CANARY,
  'project/services/svc/node_modules/p/i.js': CANARY,
  'project/services/svc/.git/config': CANARY,
  'project/services/svc/.flow/config.json': CANARY,
  'project/services/svc/.lock.main.ts': CANARY,
  'project/services/svc/.guard-tmp.left': CANARY,
}

const LINKS: Record<string, string> = {
  'link-in': 'src/main.ts',
  'link-folder': 'src',
  'link-shared': '../../shared/util.ts',
  'link-round': '../../services/svc/readme.md',
  'link-new': 'src/new.ts',
  'link-out': '../other/secret.txt',
  'link-etc': '/etc/passwd',
  'link-etc-missing': '/etc/no-such-file-here',
  'link-evil': '../svc-evil/x',
  'link-out-new': '../other/new.txt',
  'link-chain-1': 'link-chain-2',
  'link-chain-2': 'src/link-chain-3',
  'src/link-chain-3': '../link-out',
  'link-out-folder': '../other',
  'link-env': '.env',
  'link-env-chain': 'link-env',
  'link-git': '.git',
  'link-flow': '.flow',
  'link-lock': '.lock.main.ts',
  'link-loop-a': 'link-loop-b',
  'link-loop-b': 'link-loop-a',
  'link-proc-root': '/proc/self/root',
  'link-proc-cwd': '/proc/self/cwd',
  'link-proc-fd': '/proc/self/fd',
}

/** A project with a service, its neighbours and everything that attacks are made of. */
export interface Project {
  readonly folder: string
  readonly scope: GuardScope
  /** The absolute path of something in the temporary folder. */
  at(path: string): string
  /** The absolute path of something in the service. */
  in(path: string): string
  open(more?: Partial<GuardScope>): Guard
  /** Everything there is, as text, to be compared. */
  snapshot(): Record<string, string>
  remove(): void
}

/** Where files live in memory, if this machine has such a place: for tests of many rounds. */
export function findMemoryFolder(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
}

/** Builds the project in a new temporary folder. */
export function makeProject(parent = tmpdir()): Project {
  const folder = mkdtempSync(join(parent, 'guard-'))
  const at = (path: string): string => join(folder, path)
  const inside = (path: string): string => join(folder, 'project/services/svc', path)
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), content)
  }
  for (const [path, target] of Object.entries(LINKS)) symlinkSync(target, inside(path))
  linkSync(at('project/services/other/secret.txt'), inside('hard-link'))
  execFileSync('mkfifo', [inside('fifo')])
  const scope: GuardScope = {
    service_root: inside(''),
    shared_roots: ['shared_contracts', 'shared', 'contracts'].map((name) => at(`project/${name}`)),
    project_root: at('project'),
    block_patterns: [],
    hard_link_stores: [],
  }
  const guards: Guard[] = []
  return {
    folder,
    scope,
    at,
    in: inside,
    open: (more) => {
      const guard = openGuard({ ...scope, ...more }, has_kernel_calls ? undefined : () => undefined)
      guards.push(guard)
      return guard
    },
    snapshot: () => snapshotOf(folder),
    remove: () => {
      for (const guard of guards) guard.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Kind, mode and content of all that lies below a folder. */
export function snapshotOf(folder: string): Record<string, string> {
  return Object.fromEntries(pathsBelow(folder, '').map((path) => [path, describe(join(folder, path))]))
}

function pathsBelow(folder: string, prefix: string): string[] {
  return readdirSync(join(folder, prefix), { withFileTypes: true }).flatMap((entry) => {
    const path = `${prefix}${entry.name}`
    return entry.isDirectory() ? [path, ...pathsBelow(folder, `${path}/`)] : [path]
  })
}

function describe(path: string): string {
  const stat = lstatSync(path)
  const mode = stat.mode.toString(8)
  if (stat.isSymbolicLink()) return `link to ${readlinkSync(path)}`
  return stat.isFile() ? `${mode} ${readFileSync(path, 'latin1')}` : mode
}

/** How a call ended, in one word: `ok`, `denied <reason>` or the code of the fault. */
export function outcomeOf(call: () => unknown): string {
  try {
    call()
    return 'ok'
  } catch (error) {
    if (error instanceof GuardDenied) return `denied ${error.reason}`
    if (error instanceof FileFault) return error.code
    throw error
  }
}

/** Every way in which a path can be used. */
const USES: Record<string, (guard: Guard, path: string) => unknown> = {
  read: (guard, path) => guard.readFile(path, 1_000),
  write: (guard, path) => guard.writeFile(path, Buffer.from('written')),
  delete: (guard, path) => guard.deleteFile(path),
  list: (guard, path) => guard.list(path, { recursive: true, limit: 1_000 }),
  walk: (guard, path) => guard.walk(path, { recursive: true }, () => 'go_on'),
  hold: (guard, path) => guard.holdFolder(path).close(),
  locate: (guard, path) => guard.locate(path),
  'check read': (guard, path) => guard.check(path, 'read'),
  'check write': (guard, path) => guard.check(path, 'write'),
}
/** Uses that need a file, not a folder. */
export const FILE_USES = ['read', 'write', 'delete', 'walk', 'hold', 'locate', 'check read', 'check write']
/** Uses that need a right to write. */
export const WRITE_USES = ['write', 'delete', 'hold', 'locate', 'check write']

/** Tries a path in many ways; answers with the one outcome they all had, or with all of them. */
export function outcomeOfAll(guard: Guard, path: string, uses = Object.keys(USES)): string {
  const outcomes = uses.map((use) => [use, outcomeOf(() => USES[use]?.(guard, path))] as const)
  const different = new Set(outcomes.map(([, outcome]) => outcome))
  return different.size === 1 ? ([...different][0] as string) : JSON.stringify(Object.fromEntries(outcomes))
}

/** The outcome for each of many paths. */
export function outcomesOf(guard: Guard, paths: readonly string[], uses?: string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, outcomeOfAll(guard, path, uses)]))
}

/** What `outcomesOf` gives if all paths end alike. */
export function allOf(paths: readonly string[], outcome: string): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, outcome]))
}
