import type { Command, Flag } from '../command.ts'
import { GLOBAL_FLAGS } from './globals.ts'

/** What a command takes by place may also be given by name, as `--flow-id` for `<flow_id>`, unless a flag has it. */
export function namedPlaces({ positionals, flags }: Command): Flag[] {
  const taken = [...flags, ...GLOBAL_FLAGS].flatMap(({ name, aliases = [] }) => [name, ...aliases])
  return positionals
    .map(({ name, description }) => ({ name: flagOf(name), value: 'TEXT', description }))
    .filter(({ name }) => !taken.includes(name))
}

/** The words of a command in their places, beside those that were given by name; none comes after an empty place. */
export function fillPlaces(
  command: Command,
  words: readonly string[],
  flags: ReadonlyMap<string, readonly string[]>,
): string[] {
  const named = new Set(namedPlaces(command).map(({ name }) => name))
  const rest = [...words]
  const places = command.positionals.map(({ name }) => {
    const flag = flagOf(name)
    return (named.has(flag) ? flags.get(flag)?.at(-1) : undefined) ?? rest.shift()
  })
  const empty = places.indexOf(undefined)
  return [...places.slice(0, empty < 0 ? undefined : empty), ...rest] as string[]
}

function flagOf(name: string): string {
  return name.replaceAll('_', '-')
}
