import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { Guard } from '../../src/platform/guard/guard.ts'
import {
  CANARY,
  FILE_USES,
  makeProject,
  outcomeOf,
  outcomeOfAll,
  useKernelCalls,
} from '../../src/platform/guard/guard-project.fixture.ts'

// Runs in a mount namespace of its own, mounts things into a service, and prints how the guard takes it, with the calls
// that its argument names.

useKernelCalls(process.argv[2] === 'kernel')

const project = makeProject()
const mounted: string[] = []
const FOLDERS = ['mounted-disk', 'mounted-other', 'mounted-own', 'mounted name']

function mount(args: string[], where: string): void {
  execFileSync('mount', [...args, where])
  mounted.push(where)
}

function read(guard: Guard, path: string): string {
  return outcomeOf(() => guard.readFile(path, 100))
}

/** The paths that listing and searching the whole service show. */
function shown(guard: Guard): string[] {
  const paths = guard.list('.', { recursive: true, limit: 1_000 }).entries.map(({ path }) => path)
  guard.walk('.', { recursive: true }, (file) => {
    if (file.read(1_000)?.includes(CANARY)) paths.push(`read ${file.path}`)
    return 'go_on'
  })
  return paths.filter((path) => path.includes('mounted'))
}

function tryMounts(guard: Guard) {
  const inside = FOLDERS.flatMap((folder) => [`${folder}/secret.txt`, `${folder}/nothing.txt`])
  return {
    files: [...inside, 'mounted-file'].map((path) => outcomeOfAll(guard, path, FILE_USES)),
    folders: FOLDERS.map((path) => outcomeOfAll(guard, path, ['list', 'walk', 'locate', 'check read'])),
    round: read(guard, 'mounted-other/../readme.md'),
    shown: shown(guard),
  }
}

function mountAll(): void {
  for (const name of FOLDERS) mkdirSync(project.in(name))
  writeFileSync(project.in('mounted-file'), 'covered')
  mount(['-t', 'tmpfs', 'none'], project.in('mounted-disk'))
  writeFileSync(project.in('mounted-disk/secret.txt'), CANARY)
  mount(['--bind', project.at('project/services/other/deep')], project.in('mounted-other'))
  mount(['--bind', project.at('project/services/other/deep')], project.in('mounted name'))
  mount(['--bind', project.in('docs')], project.in('mounted-own'))
  mount(['--bind', project.at('project/services/other/deep/secret.txt')], project.in('mounted-file'))
}

function tryRoots() {
  mount(['-t', 'tmpfs', 'none'], project.at('project/contracts'))
  writeFileSync(project.at('project/contracts/c.txt'), 'on a disk of its own')
  const shared = read(project.open(), 'contracts/c.txt')
  const guard = project.open()
  mount(['-t', 'tmpfs', 'none'], project.in('').replace(/\/$/, ''))
  writeFileSync(project.in('readme.md'), 'covers the service')
  return { shared, covered: outcomeOfAll(guard, 'readme.md') }
}

try {
  const early = project.open()
  mountAll()
  console.log(JSON.stringify({ early: tryMounts(early), late: tryMounts(project.open()), ...tryRoots() }))
} finally {
  for (const where of mounted.toReversed()) execFileSync('umount', ['--lazy', where])
  project.remove()
}
