import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { OWNER_ENV } from '../../src/domains/toolbox/git/git-project.fixture.ts'
import type { Attack, Visit } from './attack.ts'
import { LAID, LONG } from './hostile-branches.ts'
import { mountCarelessly, plainGit } from './naive.ts'
import { visitsOf } from './tool-visits.ts'
import { FOREIGN, PROBE, putLink, type World } from './world.ts'

const LINK = 'laid'
const OUTER_PROBE = 'plans/probe'
const MOUNTS = 20
/** Each folder with a closed name in it is mounted by itself, and that many take a while. */
const MOUNTED_BEFORE = 40
const probe = (target: string): Visit => ({ tool: 'run_lint', args: { target } })
const commit: Visit = { tool: 'git_commit', args: { message: 'Commit what is staged' } }
const probes = (target: string) => Array.from({ length: 3 }, () => probe(target))

const TARGETS = Object.keys(LAID) as (keyof typeof LAID)[]
const targetOf = (round: number) => TARGETS[round % TARGETS.length] as keyof typeof LAID

/** A folder that is mounted late, and a program for the sandbox that writes and reads there. */
function prepareLate(world: World, below: string): void {
  for (const name of [LONG, ...Array.from({ length: MOUNTED_BEFORE }, (_, index) => `c${index}`)])
    mkdirSync(world.at(`${name}/secrets`), { recursive: true })
  const folder = `${below}${LONG}`
  const acts = ['limit 5', `write ${folder}/planted-by-probe planted`, `show ${folder}/f.txt`]
  world.put(below === '' ? PROBE : `/${OUTER_PROBE}`, acts.join('\n'))
}

const mountLate = (world: World) => mountCarelessly(world.at(LONG), world.outside)

const below = (name: string, act: (world: World, round: number) => string): Attack => ({
  name,
  seats: { caller: 'project' },
  prepare(world) {
    prepareLate(world, 'services/web/')
    for (const [target, path] of Object.entries(LAID)) putLink(world, `${LINK}-${target}`, path)
  },
  acts: (world, round) => [act(world, round)],
  visits: () => probes(OUTER_PROBE),
  control: { once: mountLate },
})

export const MOUNT_ATTACKS: readonly Attack[] = [
  below('a folder below changes places while the outer sandbox is made', (_, round) => {
    return `swap ${LONG} ${LINK}-${targetOf(round)}`
  }),
  below('a folder below goes aside while the outer sandbox is made', (_, round) => {
    return `relink ${LONG} ${LAID[targetOf(round)]} aside`
  }),
  {
    name: 'the whole inner service changes places while its sandbox is made',
    seats: { attacker: 'project' },
    prepare(world) {
      world.put(PROBE, 'limit 5\nwrite planted-by-probe planted\n')
      rmSync(world.at(`/plans/${LINK}`), { force: true })
      mkdirSync(world.at('/plans'), { recursive: true })
      symlinkSync('../../outside', world.at(`/plans/${LINK}`))
    },
    acts: () => [`swap services/web plans/${LINK}`],
    visits: () => probes(PROBE),
    control: { once: (world) => mountCarelessly(world.service, world.outside) },
  },
  {
    name: 'the whole inner service changes places with another repository while git works',
    seats: { attacker: 'project' },
    prepare(world) {
      rmSync(world.at(`/plans/${LINK}`), { force: true })
      putLink(world, `/plans/${LINK}`, `../../outside/${FOREIGN}`)
    },
    acts: () => [`swap services/web plans/${LINK}`],
    visits: () => [commit, commit, { tool: 'git_diff', args: { staged: true } }, commit, ...visitsOf('git')],
    control: {
      once: (world) =>
        plainGit(world, '-C', 'services/web', 'rev-parse', '--show-toplevel').includes(FOREIGN),
    },
  },
  {
    name: 'a switch of branches makes a link of a folder while a sandbox is made',
    passes: 1,
    prepare: (world) => prepareLate(world, ''),
    acts: () => [],
    visits: (_, round) => [
      { tool: 'git_checkout', args: { branch: `lay-${targetOf(round)}` } },
      ...probes(PROBE),
      ...probes(PROBE),
    ],
    control: {
      each_anew: true,
      async once(world) {
        const options = { cwd: world.project, env: OWNER_ENV }
        const switched = once(spawn('git', ['switch', '-q', 'lay-outside'], options), 'close')
        for (let tries = 0; tries < MOUNTS && !mountLate(world); tries++) continue
        await switched
        return existsSync(join(world.outside, 'planted-mount'))
      },
    },
  },
]
