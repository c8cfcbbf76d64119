import { type KeyLevel, keyLevel } from '../looks/key-names.ts'
import { hasMark } from '../mark.ts'
import type { Pair } from './pair.ts'

const VARIABLE = /^\s{0,40}variable\s{1,4}"([\w-]{1,100})"\s{0,4}\{/
/** Names of what holds a name, and of what holds its value. */
const ROLES = new Map<string, 'naming' | 'valued'>([
  ...'name key id field property header variable var setting k'
    .split(' ')
    .map((name) => [name, 'naming'] as const),
  ...'value val v content data default text string'.split(' ').map((name) => [name, 'valued'] as const),
])
const MAX_ROLE_CHARS = 8

/** A pair and the level of its name, which is told when it is asked for: most values are too short to matter. */
export interface LevelledPair {
  pair: Pair
  level: () => KeyLevel
}

/** Each pair with the level of its name; `name="X" value="Y"` lends X's level to Y. */
export function levelled(line: string, pairs: readonly Pair[], lent: KeyLevel | undefined): LevelledPair[] {
  let named = () => lent
  let within = 0
  return pairs.map((pair) => {
    if (isMapOfMany(line, pair)) within = line.indexOf('}', pair.start)
    else if (pair.start < within && keyLevel(pair.name) === 'plain') return { pair, level: () => 'password' }
    const role = roleOf(pair)
    const level = pair.by === '>' || role === 'valued' ? named() : undefined
    if (level) return { pair, level: () => level }
    if (role === 'naming' && isName(line, pair)) named = () => levelOfName(line, pair)
    return { pair, level: () => (pair.by === '(' ? callLevel(pair.name) : keyLevel(pair.name)) }
  })
}

/** `"passwords": {"bob": "…"}` */
function isMapOfMany(line: string, { name, start }: Pair): boolean {
  return line[start] === '{' && name.endsWith('s') && keyLevel(name) === 'password'
}

function roleOf({ name }: Pair): 'naming' | 'valued' | undefined {
  return name.length <= MAX_ROLE_CHARS ? ROLES.get(name.toLowerCase()) : undefined
}

/** The level that a value has as a name, if it says anything. */
function levelOfName(line: string, { start, end }: Pair): KeyLevel | undefined {
  const level = keyLevel(line.slice(start, end))
  return level === 'plain' ? undefined : level
}

/** What a client of a service is made with is likely its key. */
function callLevel(name: string): KeyLevel {
  const level = keyLevel(name)
  return level === 'plain' && /[a-z](?:Client|Api|API|SDK|Sdk)$/.test(name) ? 'weak' : level
}

/** The level that `variable "name" {` lends to the default in it. */
export function declaredLevel(line: string): KeyLevel | undefined {
  const name = VARIABLE.exec(line)?.[1]
  const level = name === undefined ? 'plain' : keyLevel(name)
  return level === 'plain' || level === 'public' ? undefined : level
}

/** The level a line's last `name: X` lends to the value on the next one. */
export function lentLevel(line: string, pairs: readonly Pair[]): KeyLevel | undefined {
  const pair = pairs.findLast((named) => roleOf(named) === 'naming' && isName(line, named))
  if (!pair) return undefined
  const level = keyLevel(line.slice(pair.start, pair.end))
  return level === 'password' || level === 'secret' ? level : undefined
}

/** A mark names a rule, not a value. */
function isName(line: string, { start, end }: Pair): boolean {
  return end - start <= 80 && !hasMark(line.slice(start, end))
}
