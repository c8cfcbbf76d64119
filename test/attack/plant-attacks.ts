import { existsSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack, Visit } from './attack.ts'
import { planted, plantedHook } from './hostile-branches.ts'
import { plainGit } from './naive.ts'
import { visitsOf } from './tool-visits.ts'
import { ownerGit, type World } from './world.ts'

type Files = Readonly<Record<string, string>>

const BELOW = '\tworktree = ..\n'

/** The pieces of a repository without a work tree of its own, as git finds it by itself in a folder. */
function bareRepository(world: World, folder: string): Files {
  return {
    [`${folder}config`]: planted(world, BELOW),
    [`${folder}objects/x`]: 'x\n',
    [`${folder}refs/x`]: 'x\n',
    [`${folder}HEAD`]: 'ref: refs/heads/main\n',
  }
}

/** What the branch `bare` lacks of it. */
function leftFor(world: World): Files {
  const { 'p/HEAD': head = '' } = bareRepository(world, 'p/')
  return { 'p/HEAD': head }
}

const writes = (files: Files): Visit[] =>
  Object.entries(files).map(([path, content]) => ({ tool: 'write_file', args: { path, content } }))

const plants = (files: Files): string[] =>
  Object.entries(files).map(([path, content]) => `plant ${path} ${content.replaceAll('\n', '\\n')}`)

/** The same with nobody in the way: the owner's git has to run the program, or the attack proves nothing. */
const control = (files: (world: World) => Files): Attack['control'] => ({
  each_anew: true,
  once(world) {
    for (const [path, content] of Object.entries(files(world))) world.put(path, content)
    ownerStatus(world)
    return existsSync(world.ran)
  },
})

function ownerStatus(world: World): void {
  for (const folder of ['.', 'services/web', 'services/web/p', 'services/web/p/q'])
    if (existsSync(`${world.project}/${folder}`)) plainGit(world, '-C', folder, 'status')
}

const bare = (where: string, folder: string): Attack[] => [
  {
    name: `files make a bare repository ${where}`,
    passes: 1,
    acts: () => [],
    visits: (world) => writes(bareRepository(world, folder)),
    control: control((world) => bareRepository(world, folder)),
  },
  {
    name: `agent code makes a bare repository ${where}`,
    only: 'jailed',
    passes: 1,
    limit_ms: 50,
    acts: (world) => plants(bareRepository(world, folder)),
    visits: () => visitsOf('git').slice(0, 1),
    control: control((world) => bareRepository(world, folder)),
  },
  {
    name: `agent code and files make a bare repository ${where}`,
    only: 'jailed',
    passes: 1,
    limit_ms: 50,
    acts: (world) => plants(bareRepository(world, folder)).slice(0, 2),
    visits: (world) => writes(bareRepository(world, folder)).slice(2),
    control: control((world) => bareRepository(world, folder)),
  },
]

export const PLANT_ATTACKS: readonly Attack[] = [
  ...bare('in the service', ''),
  ...bare('below the service', 'p/'),
  {
    name: 'a branch and a file make a bare repository',
    passes: 1,
    acts: () => [],
    visits: (world) => [
      { tool: 'git_checkout', args: { branch: 'bare' } },
      ...writes({ 'p/HEAD': bareRepository(world, 'p/')['p/HEAD'] ?? '' }),
    ],
    control: {
      each_anew: true,
      once(world) {
        ownerGit(world.project, 'switch', '--quiet', 'bare')
        world.put('p/HEAD', 'ref: refs/heads/main\n')
        ownerStatus(world)
        return existsSync(world.ran)
      },
    },
  },
  {
    name: 'a HEAD that was left and a branch make a bare repository',
    only: 'jailed',
    passes: 1,
    limit_ms: 50,
    acts: (world) => plants(leftFor(world)),
    visits: (world) => writes(leftFor(world)),
    look(world) {
      ownerGit(world.project, 'switch', '--quiet', 'bare')
      ownerStatus(world)
      ownerGit(world.project, 'switch', '--quiet', 'work')
      return existsSync(world.ran) ? ['the owner’s switch of branches completed a repository'] : []
    },
    control: {
      each_anew: true,
      once(world) {
        for (const [path, content] of Object.entries(leftFor(world))) world.put(path, content)
        ownerGit(world.project, 'switch', '--quiet', 'bare')
        ownerStatus(world)
        return existsSync(world.ran)
      },
    },
  },
  {
    name: 'agent code makes a .git that leads to another folder',
    only: 'jailed',
    passes: 1,
    limit_ms: 50,
    acts: (world) => plants({ ...bareRepository(world, 'p/q/'), 'p/.git': 'gitdir: q\n' }),
    visits: () => visitsOf('git').slice(0, 1),
    control: control((world) => ({ ...bareRepository(world, 'p/q/'), 'p/.git': 'gitdir: q\n' })),
  },
  {
    name: 'agent code makes a .git with hooks',
    only: 'jailed',
    passes: 1,
    limit_ms: 50,
    acts: (world) => plants(withHooks(world)),
    visits: () => visitsOf('git').slice(0, 1),
    control: control(withHooks),
  },
  {
    name: 'a child of agent code goes on after its end',
    only: 'jailed',
    passes: 1,
    limit_ms: 400,
    acts: () => ['leave', 'beat beat.txt', 'relink d ../pay d.aside'],
    visits: () => [],
    async look(world) {
      return (await isBeating(world)) ? ['a child of agent code still runs'] : []
    },
    control: { once: (world) => isBeating(world) },
  },
]

function withHooks(world: World): Files {
  const { 'p/.git/config': _, ...more } = bareRepository(world, 'p/.git/')
  const config = planted(world)
  return { ...more, 'p/.git/config': config, 'p/.git/hooks/post-index-change': plantedHook(world) }
}

const sizeOf = (world: World) => statSync(world.at('beat.txt'), { throwIfNoEntry: false })?.size ?? 0

async function isBeating(world: World): Promise<boolean> {
  const before = sizeOf(world)
  await sleep(60)
  return sizeOf(world) > before
}
