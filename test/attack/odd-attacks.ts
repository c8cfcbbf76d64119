import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Attack, Visit } from './attack.ts'
import {
  hangsOn,
  maskCarelessly,
  mountCarelessly,
  readCarelessly,
  readThrough,
  walkCarelessly,
} from './naive.ts'
import { visitsInTurn, visitsOf } from './tool-visits.ts'
import { type Place, PROBE, putLink } from './world.ts'

const LINK = 'laid'
const probe: Visit = { tool: 'run_lint', args: { target: PROBE } }
const install: Visit = { tool: 'install_dependencies', args: { manager: 'npm' } }
/** Files that tools read of themselves, without being told to. */
const READ_UNASKED = [
  '.gitignore',
  '.gitattributes',
  'package.json',
  'package-lock.json',
  'docs/overview_web.md',
  'tsconfig.json',
]
const unasked = (round: number): Visit[] =>
  round % 2 === 0 ? visitsOf('git', 'writing') : visitsOf('knowledge', 'commands')

/** The swap comes whenever somebody opens or reads something in the folder, and not at any time. */
const reacting = (['secrets', 'outside', 'git'] as const).map(
  (place: Place): Attack => ({
    name: `a folder becomes a link to ${place} when somebody looks into it`,
    prepare: (world) => putLink(world, LINK, world.linkTo(place)),
    acts: () => [`react d d ${LINK}`, `react d/sub d ${LINK}`],
    visits: (_, round) => visitsInTurn(round),
    control: { once: (world) => readCarelessly(world, place === 'git' ? 'd/description' : 'd/f.txt', place) },
  }),
)

/** A folder in which the hub reads a closed name changes places with one of the agent's own that has it too. */
const masked: Attack = {
  name: 'a folder with a closed file changes places while it is covered',
  prepare(world) {
    world.put('c/.env', `PET=${world.canaryOf('env').text}\n`)
    world.put('e/.env', 'ours\n')
    world.put(PROBE, 'limit 20\nshow c/.env\nshow e/.env\nshow c/../e/.env\n')
  },
  acts: () => ['swap c e'],
  visits: () => [probe, probe, probe],
  control: { once: (world) => maskCarelessly(world, 'c', 'e') },
}

const readUnasked = (target: string, place: string): Attack => ({
  name: `files that tools read of themselves are links to ${place}`,
  prepare(world) {
    for (const name of READ_UNASKED) {
      rmSync(world.at(name), { force: true })
      putLink(world, name, name.includes('/') ? `../${target}` : target)
    }
  },
  acts: () => [],
  visits: (_, round) => unasked(round),
  passes: 1,
  control: { each_anew: true, once: (world) => readThrough(world, 'package.json', place) },
})

/** What is listed by name comes into the index, if only as a file that could not be read. */
const listed: Attack = {
  name: 'the indexer lists what lies in secrets',
  limit_ms: 600,
  prepare(world) {
    for (let index = 0; index < 60; index++)
      world.put(`new/n${index}/x.txt`, `our own text ${Math.random()}\n`)
    putLink(world, LINK, 'secrets')
  },
  acts: () => [`swap new ${LINK}`],
  visits: (_, round) => [
    { tool: 'write_file', args: { path: `src/more${round}.mjs`, content: `export const more = ${round}\n` } },
    { tool: 'search_knowledge', args: { query: 'our own text' } },
    { tool: 'search_knowledge', args: { query: 'secrets', path: LINK } },
  ],
  control: { once: (world) => walkCarelessly(world, '.') },
}

export const ODD_ATTACKS: readonly Attack[] = [
  ...reacting,
  listed,
  masked,
  readUnasked('secrets/f.txt', 'secrets'),
  readUnasked('../../../outside/f.txt', 'outside'),
  {
    name: 'files that tools read of themselves are pipes',
    prepare(world) {
      for (const name of READ_UNASKED) rmSync(world.at(name), { force: true })
    },
    acts: () => READ_UNASKED.map((name) => `fifo ${name}`),
    visits: (_, round) => unasked(round),
    passes: 1,
    control: { once: (world) => hangsOn(world, 'package.json', '-e') },
  },
  {
    name: 'a lockfile changes places with a link while it is installed',
    prepare: (world) => putLink(world, LINK, '../../../outside/f.txt'),
    acts: () => [`swap package-lock.json ${LINK}`],
    visits: () => [install],
    control: { once: (world) => readCarelessly(world, 'package-lock.json', 'outside') },
  },
  {
    name: 'node_modules changes places with a link while it is filled',
    only: 'loose',
    prepare(world) {
      world.put('node_modules/old/x.txt', 'x\n')
      putLink(world, LINK, world.linkTo('outside'))
    },
    acts: () => [`swap node_modules ${LINK}`],
    visits: () => [install, install],
    control: { once: (world) => mountCarelessly(world.at('node_modules'), world.outside) },
  },
  {
    name: 'a folder above the inner service changes places while its sandbox is made',
    seats: { attacker: 'project' },
    prepare(world) {
      world.put(PROBE, 'limit 5\nwrite planted-by-probe planted\n')
      rmSync(world.at(`/plans/${LINK}`), { force: true })
      mkdirSync(world.at('/plans'), { recursive: true })
      putLink(world, `/plans/${LINK}`, '../outside')
    },
    acts: () => [`swap services plans/${LINK}`],
    visits: () => [probe, probe, probe, ...visitsOf('writing')],
    control: { once: (world) => mountCarelessly(world.service, join(world.outside, 'web')) },
  },
  {
    name: 'a folder in the middle of a path changes places',
    prepare(world) {
      putLink(world, 'd/laid', '../secrets/sub')
      putLink(world, 'd/laid2', '../../../../outside/sub')
    },
    acts: () => ['turn d/sub d/laid d/laid2'],
    visits: () => {
      const path = 'd/sub/deep/x.txt'
      const deep = ['read_file', 'delete_file'].map((tool) => ({ tool, args: { path } }))
      const more = [
        { tool: 'write_file', args: { path, content: 'ours\n' } },
        { tool: 'git_add', args: { files: [path] } },
      ]
      return [...deep, ...more, ...visitsOf('git').filter(({ tool }) => tool !== 'git_push')]
    },
    control: { once: (world) => readCarelessly(world, 'd/sub/deep/x.txt', 'outside') },
  },
]
