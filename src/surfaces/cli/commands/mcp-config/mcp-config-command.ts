import { basename, join, resolve } from 'node:path'
import {
  MCP_CLIENTS,
  type McpClient,
  type Reach,
  USUAL_NAME,
} from '../../../../domains/control/clients/mcp-clients.ts'
import { renderSettings } from '../../../../domains/control/clients/merge-settings.ts'
import { TOOL_ROLES } from '../../../../domains/toolbox/tool-context.ts'
import { homeAt } from '../../../../platform/basics/home.ts'
import { PACKAGE_FOLDER } from '../../../../platform/basics/package-folder.ts'
import { printable } from '../../../../platform/basics/printable.ts'
import type { ToolboxSeat } from '../../../../platform/identity/caller.ts'
import { readHubConfig } from '../../../../platform/policy/hub-config.ts'
import { UsageError } from '../../cli-errors.ts'
import { findFlag, type Invocation, isFlagOn } from '../../command.ts'
import { checkAddress } from '../../hub/remote-connection.ts'
import { findNearest } from '../../line/nearest.ts'
import { isMember, isSeated, seatCaller } from '../../line/seat-flags.ts'
import { mergeFile } from './merge-file.ts'
import { checkServerName } from './server-name.ts'

/** Prints what connects an MCP client to this hub, or merges it into the client's file. */
export async function configureClient(invocation: Invocation): Promise<number> {
  const { env, io, globals } = invocation
  const client = requireClient(findFlag(invocation, 'client') ?? '')
  const seat = isSeated(invocation) && !isMember(invocation) ? requireSeat(invocation) : undefined
  const reach = reachOf(invocation, seat)
  const name = nameOf(invocation, seat)
  const file = resolve(client.file(env))
  const settings = client.settings(reach, name)
  const isWritten = isFlagOn(invocation, 'write')
  const done = isWritten ? mergeFile(file, settings, client.format) : undefined
  if (globals.json) io.stdout.write(`${JSON.stringify({ file, settings, written: isWritten })}\n`)
  else if (!isWritten) io.stdout.write(renderSettings(settings, client.format))
  if (!globals.json) {
    const first = done ?? `Put this into ${file}, or run the command again with --write.`
    const more = [...client.notes(reach, name), ...databaseNote(env, reach)]
    io.stderr.write(`${[first, ...more].map(printable).join('\n')}\n`)
  }
  return 0
}

function requireClient(name: string): McpClient {
  if (Object.hasOwn(MCP_CLIENTS, name)) return MCP_CLIENTS[name] as McpClient
  const names = Object.keys(MCP_CLIENTS)
  const nearest = findNearest(name, names)
  const known = `The clients are ${names.join(', ')}.`
  throw new UsageError(`There is no client ${name}.`, nearest ? `Did you mean ${nearest}? ${known}` : known)
}

/** A client may be started anywhere with any environment, so every path is given in full. */
export function reachOf({ globals, env, flags }: Invocation, seat: ToolboxSeat | undefined): Reach {
  if (globals.url !== undefined) {
    if (flags.has('role') && !seat)
      throw new UsageError('At a running hub the token decides on the role.', 'Leave out --role.')
    if (seat)
      throw new UsageError(
        'A seat is for a hub that the client starts itself, not for --url.',
        'Leave out --url; or make a seat at the running hub with `knowtation tool session create`.',
      )
    const address = checkAddress(globals.url, readHubConfig(homeAt(globals.home, env)))
    return { kind: 'http', url: URL.parse(address)?.pathname === '/' ? `${address}/mcp` : address }
  }
  const isChosen = globals.home !== undefined || Boolean(env.KNOWTATION_HOME)
  const home = isChosen ? ['--home', homeAt(globals.home, env).folder] : []
  const vault = globals.vault === undefined ? [] : ['--vault', globals.vault]
  const program = join(PACKAGE_FOLDER, 'bin', 'knowtation.js')
  // Least privilege is what comes without a word.
  const seated = seat
    ? ['--project', seat.project_root, '--service', seat.service_root]
    : flags.has('role')
      ? []
      : ['--role', 'viewer']
  const told = ['role', 'agent-id', 'isolation-level', 'allowed-commands'].flatMap((name) =>
    (flags.get(name) ?? []).flatMap((value) => [`--${name}`, value]),
  )
  const args = [program, 'mcp', ...home, ...vault, ...seated, ...told]
  return { kind: 'stdio', command: process.execPath, args }
}

/** A seat whose role is none has no tools. Before that is written into a file, whoever misspelt it is told. */
function requireSeat(invocation: Invocation): ToolboxSeat {
  const role = findFlag(invocation, 'role')
  const roles: readonly string[] = TOOL_ROLES
  if (role !== undefined && !roles.includes(role))
    throw new UsageError(`There is no role ${role}.`, `The roles are ${roles.join(', ')}.`)
  const { seat } = seatCaller(invocation, 'unknown')
  if (!seat) throw new Error('An agent of the toolbox has a seat.')
  return seat
}

/** A seat has a name of its own, so that it does not take the place of the hub's in the client's file. */
function nameOf(invocation: Invocation, seat: ToolboxSeat | undefined): string {
  const told = findFlag(invocation, 'name')
  if (told === undefined)
    return seat ? `${USUAL_NAME}-${basename(seat.service_root).replace(/[^\w-]/g, '-')}` : USUAL_NAME
  return checkServerName(told)
}

function databaseNote(env: NodeJS.ProcessEnv, reach: Reach): string[] {
  if (reach.kind !== 'stdio' || !env.KNOWTATION_DATABASE_URL) return []
  return ['KNOWTATION_DATABASE_URL is set here: set it in the environment of the client too.']
}
