import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { OWNER_ENV } from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { nameOf } from './canaries.ts'
import type { World } from './world.ts'

// Careless programs: each looks first and acts then, by name. What beats them is a real attack.

const TRIES = 200
const HANG_SECONDS = '0.4'
const TIMED_OUT = 124

/** Gives the answer of the first try that is one; what stumbles over a swap tries again. */
function tryOften(act: () => boolean): boolean {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      if (act()) return true
    } catch {}
  }
  return false
}

function isOpen({ service }: World, path: string): boolean {
  const real = realpathSync(path)
  return `${real}/`.startsWith(`${service}/`) && !/\/(?:secrets|\.env|\.git)(?:\/|$)/.test(real)
}

/** Reads a file of the service; gives whether it got what is secret. */
export function readCarelessly(world: World, path: string, place: string): boolean {
  const file = world.at(path)
  const secret = place === 'etc' ? 'root:x:0:0' : world.canaryOf(place).text
  return tryOften(() => isOpen(world, file) && readFileSync(file, 'utf8').includes(secret))
}

/** Writes a file of the service; gives whether it came to be elsewhere. */
export function writeCarelessly(world: World, path: string, elsewhere: string): boolean {
  const file = world.at(path)
  return tryOften(() => {
    if (isOpen(world, dirname(file)) && !existsSync(file)) writeFileSync(file, 'carelessly\n')
    return existsSync(elsewhere)
  })
}

/** Walks down a folder and collects names. */
export function walkCarelessly(world: World, path: string): boolean {
  const secret = nameOf(world.canaryOf('names'))
  const walk = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() && entry.name !== 'secrets' ? walk(join(folder, entry.name)) : [entry.name],
    )
  return tryOften(() => walk(world.at(path)).includes(secret))
}

/** Reads a plain file; gives whether it hangs. */
export function hangsOn(world: World, path: string, test = '-f'): boolean {
  const command = `for n in $(seq 500); do test ${test} ${path} && cat ${path}; done`
  // It ends the whole group: what hangs is a child of the shell.
  const { status } = spawnSync('timeout', [HANG_SECONDS, 'sh', '-c', command], { cwd: world.service })
  return status === TIMED_OUT
}

/** Reads a file without a look at where it leads. */
export function readThrough(world: World, path: string, place: string): boolean {
  return readFileSync(world.at(path), 'utf8').includes(world.canaryOf(place).text)
}

/** Runs a command with a closed file covered that was found before; gives whether it shows it. */
export function maskCarelessly(world: World, ...folders: readonly string[]): boolean {
  const secret = world.canaryOf('env').text
  const found = folders.find((folder) => {
    try {
      return readFileSync(join(world.at(folder), '.env'), 'utf8').includes(secret)
    } catch {
      return false
    }
  })
  if (found === undefined) return false
  const mask = ['--ro-bind', '/dev/null', join(world.at(found), '.env')]
  const show = ['cat', ...folders.map((folder) => join(world.at(folder), '.env'))]
  const args = [
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--bind',
    world.service,
    world.service,
    ...mask,
    '--',
    ...show,
  ]
  return spawnSync('bwrap', args, { encoding: 'utf8', timeout: 5_000 }).stdout.includes(secret)
}

/** Runs git as it comes, in the project; gives what it printed. */
export function plainGit({ project }: World, ...args: string[]): string {
  const { stdout } = spawnSync('git', args, {
    cwd: project,
    env: OWNER_ENV,
    encoding: 'utf8',
    timeout: 20_000,
  })
  return stdout
}

/** Stages files; gives whether what was staged of the last one is secret. */
export function stageCarelessly(world: World, paths: readonly string[], place: string): boolean {
  const names = paths.map((path) => `services/web/${path}`)
  plainGit(world, 'add', ...names)
  return plainGit(world, 'show', `:${names.at(-1)}`).includes(world.canaryOf(place).text)
}

/** Shows changes; gives whether something secret was among them. */
export function diffCarelessly(world: World, place: string): boolean {
  return plainGit(world, 'diff').includes(world.canaryOf(place).text)
}

/** Mounts a folder of the service writable, after a look at it; gives whether something came to be elsewhere. */
export function mountCarelessly(folder: string, elsewhere: string): boolean {
  try {
    if (realpathSync(folder) !== folder) return false
  } catch {
    return false
  }
  const mounts = ['--ro-bind', '/', '/', '--bind', folder, folder]
  spawnSync('bwrap', [...mounts, '--', 'touch', join(folder, 'planted-mount')], { timeout: 5_000 })
  return existsSync(join(elsewhere, 'planted-mount'))
}
