import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runGit } from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { type Canary, makeCanary, nameOf } from './canaries.ts'
import { compileAttacker } from './compile-attacker.ts'
import { commitBranches, LONG } from './hostile-branches.ts'
import { EDITABLE, FOREIGN, PLACES, type Place, PROBE, type World, writeAt } from './world.ts'

/** Nobody writes there, so what stands in it anyway is enough. */
const ETC: Canary = { place: 'etc', text: 'root:x:0:0' }
const ATTACKER = 'attacker'
const RUN = { command: [ATTACKER, '{target}'], timeout_seconds: 20 }
const CONFIG = {
  tools: { whitelisted_binaries: [ATTACKER] },
  toolchains: { '*': { test: RUN, lint: RUN } },
}
const LINKS: Readonly<Record<Place, string>> = {
  sibling: '../pay',
  secrets: 'secrets',
  git: '../../.git',
  home: '../../../home/canary',
  outside: '../../../outside',
}
const SERVICE_FILES: Readonly<Record<string, string>> = {
  'f.txt': `${EDITABLE}\nour own text\n`,
  'd/f.txt': `${EDITABLE}\nour own text\n`,
  'd/description': 'our own text\n',
  'd/passwd': 'our own text\n',
  'd/sub/deep/x.txt': 'our own deep text\n',
  [`${LONG}/f.txt`]: 'our own text\n',
  'src/main.mjs': "export const greeting = 'hello'\n",
  'src/main.test.mjs': "import { greeting } from './main.mjs'\nconsole.log(greeting)\n",
  'docs/overview_web.md': '# Web\nWhat people see.\n',
  'package.json': '{ "name": "web", "version": "1.0.0" }\n',
  'package-lock.json':
    '{ "name": "web", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": { "": { "name": "web", "version": "1.0.0" } } }\n',
}

/** Makes such a world in a temporary folder. */
export function makeWorld(): World {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'attack-')))
  const project = join(base, 'project')
  const service = join(project, 'services/web')
  const canaries = [...[...PLACES, 'env', 'names'].map((place) => makeCanary(place)), ETC]
  const canaryOf = (place: string) => canaries.find((canary) => canary.place === place) as Canary
  const at = (path: string) => (path.startsWith('/') ? join(project, path) : join(service, path))
  const world: World = {
    base,
    project,
    alias: join(base, 'alias'),
    service,
    canaries,
    canaryOf,
    at,
    outside: join(base, 'outside'),
    toolchain: join(base, 'toolchain'),
    homes: [join(base, 'home'), join(base, 'home2')],
    ran: join(base, 'ran'),
    put: (path, content) => writeAt(at(path), content),
    linkTo: (place) => LINKS[place],
    reset: () => restoreFolders(base, ['project/services/web', 'project/.git']),
    restore: () => restoreFolders(base, KEPT),
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }),
  }
  fill(world)
  for (const name of KEPT) cpSync(join(base, name), join(base, 'kept', name), COPY)
  return world
}

/** What is put back between rounds; what else lies in the base belongs to the hubs. */
const KEPT = ['project', 'outside', 'toolchain', 'home/canary'] as const
const COPY = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true }

function fill(world: World): void {
  const { base, canaryOf } = world
  runGit(base, ['init', '--quiet', '--bare', '--initial-branch=main', 'remote.git'])
  const remotes = { origin: join(base, 'remote.git') }
  writeAt(join(world.project, '.flow/config.json'), JSON.stringify({ ...CONFIG, git: { remotes } }))
  writeAt(join(world.project, 'shared_contracts/s.txt'), `${EDITABLE}\nfor all\n`)
  for (const [path, content] of Object.entries(SERVICE_FILES)) world.put(path, content)
  world.put('.gitignore', 'plans/\n')
  commitBranches(world)
  const secret = (place: string) => `${EDITABLE}\n${canaryOf(place).text}\n`
  const folders = { sibling: world.at('/services/pay'), secrets: world.at('secrets') }
  const more = { home: join(base, 'home/canary'), outside: world.outside }
  // Agent code of the service would find its plan there, were the service a link to it.
  for (const folder of [world.outside, join(world.outside, 'web')])
    writeAt(join(folder, PROBE), 'limit 30\nwrite planted-by-probe planted\n')
  for (const [place, folder] of Object.entries({ ...folders, ...more })) {
    for (const name of ['f.txt', 'description', 'passwd', 'a0250', 'sub/deep/x.txt'])
      writeAt(join(folder, name), secret(place))
  }
  makeForeign(join(world.outside, FOREIGN), secret('outside'))
  writeAt(join(folders.secrets, nameOf(canaryOf('names'))), 'its name is the secret\n')
  world.put('.env', `PET=${canaryOf('env').text}\n`)
  world.put('/.git/description', secret('git'))
  mkdirSync(world.toolchain, { recursive: true })
  compileAttacker(join(world.toolchain, ATTACKER))
  mkdirSync(world.homes[1], { recursive: true })
  symlinkSync('project', world.alias)
}

/** Somebody else's repository, in which something is staged. */
function makeForeign(folder: string, staged: string): void {
  writeAt(join(folder, 'f.txt'), 'first\n')
  runGit(folder, ['init', '--quiet', '--initial-branch=main'])
  runGit(folder, ['add', 'f.txt'])
  runGit(folder, ['commit', '--quiet', '--message', 'first'])
  writeAt(join(folder, 'f.txt'), staged)
  runGit(folder, ['add', 'f.txt'])
}

// What the hubs hold open stays the same folder: only what is in it is exchanged.
function restoreFolders(base: string, names: readonly string[]): void {
  rmSync(join(base, 'ran'), { force: true })
  for (const name of names) restoreFolder(join(base, 'kept', name), join(base, name))
}

const STABLE = new Set(['services', 'web', '.git', '.flow'])
/** The hub keeps its index there, and has it open. */
const OF_THE_HUB = /^(?:rag_|\.gitignore$)/

function restoreFolder(from: string, to: string): void {
  for (const entry of readdirSync(to, { withFileTypes: true })) {
    if (STABLE.has(entry.name) && entry.isDirectory() && existsSync(join(from, entry.name))) continue
    if (to.endsWith('/.flow') && OF_THE_HUB.test(entry.name)) continue
    rmSync(join(to, entry.name), { recursive: true, force: true })
  }
  for (const name of readdirSync(from)) {
    if (STABLE.has(name) && existsSync(join(to, name))) restoreFolder(join(from, name), join(to, name))
    else cpSync(join(from, name), join(to, name), COPY)
  }
}
