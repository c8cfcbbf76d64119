import { resolve } from 'node:path'
import { type Caller, ROLES, type Role, toolboxCaller } from '../../../platform/identity/caller.ts'
import { resolveSeat, SeatInvalid } from '../../../platform/identity/resolve-seat.ts'
import { UsageError } from '../cli-errors.ts'
import { type Flag, findFlag, type Invocation } from '../command.ts'

/** Where an agent sits. Each is spelled as `tool session create` has it; shorter spellings count too. */
export const SEAT_FLAGS: readonly Flag[] = [
  { name: 'service', value: 'DIR', description: 'The folder the agent works in' },
  {
    name: 'project',
    value: 'DIR',
    description: 'The project (default: the nearest folder with .flow or .git)',
  },
  {
    name: 'role',
    value: 'ROLE',
    description: 'At a seat dev, sre, release_manager or product_owner (default dev)',
  },
  {
    name: 'agent-id',
    aliases: ['agent'],
    value: 'ID',
    description: 'A name to recognise and lock the agent by (default local)',
  },
  {
    name: 'isolation-level',
    aliases: ['isolation'],
    value: 'LEVEL',
    description: "STRICT or SHARED, instead of the project's own",
  },
  {
    name: 'allowed-commands',
    value: 'A,B',
    description: 'Of the whitelisted binaries only these may be run',
  },
]

/** Whether nothing but a role is said, and one of members of a vault. */
export function isMember({ flags }: Invocation): boolean {
  return (
    memberRoleOf({ flags }) !== undefined &&
    SEAT_FLAGS.every(({ name }) => name === 'role' || !flags.has(name))
  )
}

/** The role of members of a vault that was said, once. */
export function memberRoleOf({ flags }: Pick<Invocation, 'flags'>): Role | undefined {
  const [given, ...more] = flags.get('role') ?? []
  return more.length === 0 ? ROLES.find((role) => role === given) : undefined
}

/** Whoever says anything of a seat means an agent of the toolbox, never the whole hub. */
export function isSeated({ flags }: Invocation): boolean {
  return SEAT_FLAGS.some(({ name }) => flags.has(name))
}

/** The agent that the flags describe; the folders are taken from where the command was typed. */
export function seatCaller(invocation: Invocation, client: string): Caller {
  for (const { name } of SEAT_FLAGS) checkSaidOnce(invocation, name)
  const service = findFlag(invocation, 'service')
  if (service === undefined)
    throw new UsageError('--service DIR is missing.', "Name the folder of the agent's service.")
  const project = findFlag(invocation, 'project')
  const agent_id = findFlag(invocation, 'agent-id') ?? 'local'
  try {
    const seat = resolveSeat({
      service: project === undefined ? resolve(service) : service,
      project: project === undefined ? undefined : resolve(project),
      role: findFlag(invocation, 'role'),
      agent_id,
      isolation_level: findFlag(invocation, 'isolation-level'),
      allowed_commands: findFlag(invocation, 'allowed-commands')
        ?.split(',')
        .map((command) => command.trim()),
      access_token: invocation.env.KNOWTATION_ACCESS_TOKEN,
    })
    return toolboxCaller(agent_id, invocation.globals.vault ?? 'default', seat, client)
  } catch (error) {
    if (!(error instanceof SeatInvalid)) throw error
    throw new UsageError(error.message, 'Check --project and --service.')
  }
}

/** A seat is never guessed: a variable that is empty, or a second value, would open more than was meant. */
function checkSaidOnce({ flags }: Invocation, name: string): void {
  const given = flags.get(name) ?? []
  if (given.length > 1) throw new UsageError(`--${name} is given more than once.`, 'Give it once.')
  if (given[0]?.trim() === '')
    throw new UsageError(`--${name} is empty.`, 'Check the variable that it was taken from.')
}
