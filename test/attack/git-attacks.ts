import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import type { Attack } from './attack.ts'
import { nameOf } from './canaries.ts'
import { FIRST } from './hostile-branches.ts'
import { diffCarelessly, plainGit, stageCarelessly } from './naive.ts'
import { visitsOf } from './tool-visits.ts'
import { ownerGit, type Place, putAsLong, putLink, type World } from './world.ts'

const LINK = 'laid'
const TRIGGER_MS = 3_000
const switchTo = (branch: string) => [{ tool: 'git_checkout', args: { branch } }]

/** A switch is under way when the folder that it fills becomes a link to the repository's own. */
const escape = (branch: string, what: string, hasWon: (world: World) => boolean): Attack => ({
  name: `a switch of branches writes ${what} into .git`,
  limit_ms: TRIGGER_MS,
  passes: 1,
  acts: () => [`trigger ${FIRST} d ../../.git`],
  visits: () => switchTo(branch),
  control: {
    each_anew: true,
    once(world) {
      plainGit(world, 'switch', '--quiet', branch)
      return hasWon(world)
    },
  },
})

const TARGETS: readonly Place[] = ['secrets', 'sibling', 'outside', 'home']
const targetOf = (round: number) => TARGETS[round % TARGETS.length] as Place

const holdsMany = (world: World, place: Place) => existsSync(`${world.service}/${world.linkTo(place)}/a0299`)

/** The same with another target: what the branch has overwrites what is closed, or comes to lie outside. */
const overwrite: Attack = {
  name: 'a switch of branches writes into a closed or foreign folder',
  limit_ms: TRIGGER_MS,
  passes: 1,
  acts: (world, round) => [`trigger ${FIRST} d ${world.linkTo(targetOf(round))}`],
  visits: () => switchTo('wide-files'),
  control: {
    each_anew: true,
    once(world, round) {
      plainGit(world, 'switch', '--quiet', 'wide-files')
      return holdsMany(world, targetOf(round))
    },
  },
}

const remove: Attack = {
  name: 'a switch of branches removes in a closed or foreign folder',
  limit_ms: TRIGGER_MS,
  passes: 1,
  prepare: (world) => void ownerGit(world.project, 'switch', '--quiet', 'wide-files'),
  acts: (world, round) => [`gone ${FIRST} d ${world.linkTo(targetOf(round))}`],
  visits: () => switchTo('work'),
  control: {
    each_anew: true,
    once(world, round) {
      plainGit(world, 'switch', '--quiet', 'work')
      return !existsSync(`${world.service}/${world.linkTo(targetOf(round))}/a0250`)
    },
  },
}

const STAGED: readonly Place[] = ['sibling', 'secrets', 'outside', 'home']

/** Files that lie elsewhere are staged, shown and committed. */
const staged = STAGED.map(
  (place): Attack => ({
    name: `git stages and shows what lies in ${place}`,
    prepare(world) {
      putAsLong(world, 'd/f.txt', `${world.linkTo(place)}/f.txt`)
      putLink(world, LINK, world.linkTo(place))
    },
    acts: () => [`swap d ${LINK}`],
    visits: () => [...visitsOf('git').filter(({ tool }) => !/checkout|push/.test(tool)), ...STAGING],
    control: { once: (world) => stageCarelessly(world, ['d/f.txt'], place) || diffCarelessly(world, place) },
  }),
)
const add = { tool: 'git_add', args: { files: ['d/f.txt'] } }
const diff = { tool: 'git_diff', args: {} }
const STAGING = [add, diff, add, diff, add, diff]

const SECRET_FILE = 'd/a0250'
const addBoth = { tool: 'git_add', args: { files: [FIRST, SECRET_FILE] } }
/** What git reads and packs for a while. */
const LARGE = randomBytes(4 * 1024 * 1024)
const diffStaged = { tool: 'git_diff', args: { staged: true } }

/** The swap comes when git has opened a large file: it takes the folder for looked at when it opens the next. */
const opened = STAGED.map(
  (place): Attack => ({
    name: `git goes on in ${place} after it opened a file`,
    limit_ms: 1_000,
    passes: 1,
    prepare(world) {
      ownerGit(world.project, 'switch', '--quiet', 'wide-files')
      writeFileSync(world.at(FIRST), LARGE)
      putAsLong(world, SECRET_FILE, `${world.linkTo(place)}/a0250`)
    },
    acts: (world, round) => [`opened ${1 + (Math.floor(round / 2) % 4)} ${FIRST} d ${world.linkTo(place)}`],
    visits: (_, round) => (round % 2 === 0 ? [addBoth, diffStaged] : [diff, diff, diff]),
    control: {
      each_anew: true,
      once: (world) => stageCarelessly(world, [FIRST, SECRET_FILE], place),
    },
  }),
)

/** Where git reads what it compares: a file that is a link to a closed one for a moment. */
const shown: Attack = {
  name: 'git stages and shows the own .env',
  prepare(world) {
    putAsLong(world, 'f.txt', '.env')
    putLink(world, LINK, '.env')
  },
  acts: () => [`swap f.txt ${LINK}`],
  visits: () => [
    diff,
    { tool: 'git_add', args: { files: ['f.txt'] } },
    diff,
    diff,
    { tool: 'git_diff', args: { staged: true } },
  ],
  control: { once: (world) => stageCarelessly(world, ['f.txt'], 'env') || diffCarelessly(world, 'env') },
}

/** Names are secrets too. */
const named: Attack = {
  name: 'git_status tells names of a closed folder',
  prepare(world) {
    world.put('new/g.txt', 'untracked\n')
    putLink(world, LINK, 'secrets')
  },
  acts: () => [`swap new ${LINK}`],
  visits: () => [
    { tool: 'git_status', args: {} },
    { tool: 'git_status', args: {} },
  ],
  control: {
    once: (world) =>
      plainGit(world, 'status', '--short', '-uall', 'services/web/new').includes(
        nameOf(world.canaryOf('names')),
      ),
  },
}

export const GIT_ATTACKS: readonly Attack[] = [
  escape('wide-commondir', 'another configuration', ({ at }) => existsSync(at('/.git/commondir'))),
  escape('wide-pieces', 'hooks, settings and branches', ({ at }) => existsSync(at('/.git/config.worktree'))),
  overwrite,
  remove,
  ...staged,
  ...opened,
  shown,
  named,
]
