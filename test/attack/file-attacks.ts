import { existsSync, linkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Attack } from './attack.ts'
import { hangsOn, readCarelessly, walkCarelessly, writeCarelessly } from './naive.ts'
import { putProbe, visitsInTurn, visitsOf } from './tool-visits.ts'
import { PLACES, type Place, putLink, readText, type World } from './world.ts'

const LINK = 'laid'

/** Where a careless reader sees what is in a place; git's own folder has a file of this name. */
const seenIn = (place: Place) => (place === 'git' ? 'd/description' : 'd/f.txt')

/** A folder of the service and a link to elsewhere change places, beside every tool in turn. */
const folderSwaps = PLACES.map(
  (place): Attack => ({
    name: `a folder changes places with a link to ${place}`,
    prepare(world) {
      putLink(world, LINK, world.linkTo(place))
      putProbe(world)
    },
    acts: () => [`swap d ${LINK}`],
    visits: (_, round) => visitsInTurn(round),
    control: { once: (world) => readCarelessly(world, seenIn(place), place) },
  }),
)

const fileSwap = (name: string, target: string, place: string): Attack => ({
  name: `a file changes places with a link to ${name}`,
  prepare(world) {
    putLink(world, LINK, target)
    putProbe(world)
  },
  acts: () => [`swap f.txt ${LINK}`],
  visits: (_, round) => visitsInTurn(round),
  control: { once: (world) => readCarelessly(world, 'f.txt', place) },
})

const linkedOnce = (world: World) => join(world.base, 'linked-once.txt')

export const FILE_ATTACKS: readonly Attack[] = [
  ...folderSwaps,
  fileSwap('the own .env', '.env', 'env'),
  fileSwap('a file of a sibling', '../pay/f.txt', 'sibling'),
  {
    name: 'a folder changes places with a link to /etc',
    prepare: (world) => putLink(world, LINK, '/etc'),
    acts: () => [`swap d ${LINK}`],
    visits: () => [...visitsOf('reading'), { tool: 'read_file', args: { path: 'd/passwd' } }],
    control: { once: (world) => readCarelessly(world, 'd/passwd', 'etc') },
  },
  {
    name: 'a folder goes aside for a link',
    acts: () => ['relink d ../pay d.aside'],
    visits: (_, round) => visitsInTurn(round),
    control: { once: (world) => readCarelessly(world, 'd/f.txt', 'sibling') },
  },
  {
    name: 'a folder changes places while it is written to',
    prepare: (world) => putLink(world, LINK, world.linkTo('outside')),
    acts: () => [`swap d ${LINK}`],
    visits: () => visitsOf('writing'),
    control: {
      once: (world) => writeCarelessly(world, 'd/careless.txt', join(world.outside, 'careless.txt')),
    },
  },
  {
    name: 'a link leads over a link that changes',
    prepare(world) {
      putLink(world, 'way', 'between')
      world.put('between/f.txt', 'our own text\n')
      putLink(world, LINK, world.linkTo('sibling'))
    },
    acts: () => [`swap between ${LINK}`],
    visits: () =>
      ['read_file', 'list_files'].map((tool) => ({
        tool,
        args: { path: tool === 'read_file' ? 'way/f.txt' : 'way' },
      })),
    control: { once: (world) => readCarelessly(world, 'way/f.txt', 'sibling') },
  },
  {
    name: 'three things take turns at the name of a folder',
    prepare(world) {
      putLink(world, LINK, world.linkTo('outside'))
      putLink(world, 'laid2', world.linkTo('secrets'))
    },
    acts: () => [`turn d ${LINK} laid2`],
    visits: (_, round) => visitsInTurn(round),
    control: { once: (world) => readCarelessly(world, 'd/f.txt', 'outside') },
  },
  {
    name: 'a link to nothing stands where a file is to be made',
    acts: () => ['dangle n.txt ../../../outside/made.txt'],
    visits: () => [
      { tool: 'write_file', args: { path: 'n.txt', content: 'made\n' } },
      {
        tool: 'edit_file',
        args: { path: 'n.txt', edits: [{ operation: 'replace', spec: 'made', content: 'made' }] },
      },
      { tool: 'delete_file', args: { path: 'n.txt' } },
    ],
    control: { once: (world) => writeCarelessly(world, 'n.txt', join(world.outside, 'made.txt')) },
  },
  {
    name: 'a file gets a second name of what lies outside',
    only: 'loose',
    prepare(world) {
      const { text } = world.canaryOf('outside')
      rmSync(linkedOnce(world), { force: true })
      writeFileSync(linkedOnce(world), `${text}\n`)
    },
    acts: () => ['second f.txt ../../../linked-once.txt'],
    visits: () => [
      ...visitsOf('reading'),
      {
        tool: 'edit_file',
        args: { path: 'f.txt', edits: [{ operation: 'replace', spec: 'outside', content: 'planted' }] },
      },
    ],
    look: (world) => (readsAs(world, linkedOnce(world)) ? [] : ['the file outside was written']),
    control: {
      once(world) {
        try {
          linkSync(linkedOnce(world), world.at('one.txt'))
        } catch {}
        return readCarelessly(world, 'one.txt', 'outside')
      },
    },
  },
  {
    name: 'a file is a pipe in turn',
    acts: () => ['pipe f.txt laid'],
    visits: (_, round) => [...visitsInTurn(round), ...visitsOf('reading')],
    control: { once: (world) => hangsOn(world, 'f.txt') },
  },
  {
    name: 'a folder deep down changes places under a walker',
    prepare(world) {
      for (let n = 0; n < 40; n++) world.put(`d/many/more${n}/y.txt`, 'our own text\n')
      putLink(world, 'd/laid', '../secrets')
    },
    acts: () => ['swap d/sub d/laid', 'shift d/many/more3 moved', 'shift d/many/more5 d/more5'],
    visits: () => visitsOf('reading', 'knowledge'),
    control: { once: (world) => walkCarelessly(world, 'd') },
  },
]

function readsAs({ canaryOf }: World, path: string): boolean {
  return existsSync(path) && readText(path).startsWith(canaryOf('outside').text)
}
