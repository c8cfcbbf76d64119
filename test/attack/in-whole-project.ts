import type { Attack, Visit } from './attack.ts'
import type { World } from './world.ts'

const PREFIX = 'services/web/'
/** Which words of an act are names of the service; the others are where links lead to, or texts. */
const NAMES: Readonly<Record<string, readonly number[]>> = {
  swap: [1, 2],
  turn: [1, 2, 3],
  relink: [1, 3],
  trigger: [1, 2],
  gone: [1, 2],
  opened: [2, 3],
  react: [1, 2, 3],
}

/** The same attack by an agent whose service is the whole project: the repository and its settings lie in it. */
export function inWholeProject(attack: Attack): Attack {
  return {
    ...attack,
    name: `in the whole project, ${attack.name}`,
    seats: { attacker: 'project', caller: 'project' },
    may_see: ['sibling'],
    acts: (world: World, round: number) => attack.acts(world, round).map(moveAct),
    visits: (world: World, round: number) => attack.visits(world, round).map(moveVisit),
  }
}

function moveAct(act: string): string {
  const words = act.split(' ')
  const places = NAMES[words[0] ?? ''] ?? []
  return words.map((word, place) => (places.includes(place) ? PREFIX + word : word)).join(' ')
}

function moveVisit({ tool, args }: Visit): Visit {
  const moved = Object.entries(args).map(([key, value]) => [key, moveValue(key, value)])
  return { tool, args: Object.fromEntries(moved) }
}

function moveValue(key: string, value: unknown): unknown {
  if (key === 'files') return (value as string[]).map((path) => PREFIX + path)
  if (!['path', 'target', 'root_dir', 'file_path'].includes(key)) return value
  return value === '.' ? value : PREFIX + String(value)
}
