import { constants, copyFileSync, mkdirSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { TOOL_ROLES } from '../../domains/toolbox/tool-context.ts'
import { homeAt } from '../../platform/basics/home.ts'
import { PACKAGE_FOLDER } from '../../platform/basics/package-folder.ts'
import { findFile } from '../../platform/basics/private-file.ts'
import { realSystem } from '../../platform/basics/system.ts'
import type { ToolboxSeat } from '../../platform/identity/caller.ts'
import { readHubConfig } from '../../platform/policy/hub-config.ts'
import { writeFileAtomically } from './atomic-file.ts'
import { CommandFailure, UsageError } from './cli-errors.ts'
import { findFlag, type Invocation, isFlagOn } from './command.ts'
import { MCP_CLIENTS, type McpClient, type Reach, type Settings, USUAL_NAME } from './mcp-clients.ts'
import { mergeSettings, renderSettings, UnmergeableFile } from './merge-settings.ts'
import { findNearest } from './nearest.ts'
import { printable } from './present/printable.ts'
import { checkAddress } from './remote-connection.ts'
import { isSeated, seatCaller } from './seat-flags.ts'

const FILE_LIMIT_BYTES = 4 * 1_048_576

/** Prints what connects an MCP client to this hub, or merges it into the client's file. */
export async function configureClient(invocation: Invocation): Promise<number> {
  const { env, io, globals } = invocation
  const client = requireClient(findFlag(invocation, 'client') ?? '')
  const seat = isSeated(invocation) ? requireSeat(invocation) : undefined
  const reach = reachOf(invocation, seat)
  const name = nameOf(invocation, seat)
  const file = resolve(client.file(env))
  const settings = client.settings(reach, name)
  const isWritten = isFlagOn(invocation, 'write')
  const done = isWritten ? mergeFile(file, settings, client) : undefined
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
function reachOf({ globals, env, flags }: Invocation, seat: ToolboxSeat | undefined): Reach {
  if (globals.url !== undefined) {
    if (seat)
      throw new UsageError(
        'A seat is for a hub that the client starts itself, not for --url.',
        'Leave out --url; or make a seat at the running hub with `knowtation tool session create`.',
      )
    const address = checkAddress(globals.url, readHubConfig(homeAt(globals.home, env)).hosted_hostnames)
    return { kind: 'http', url: URL.parse(address)?.pathname === '/' ? `${address}/mcp` : address }
  }
  const isChosen = globals.home !== undefined || Boolean(env.KNOWTATION_HOME)
  const home = isChosen ? ['--home', homeAt(globals.home, env).folder] : []
  const vault = globals.vault === undefined ? [] : ['--vault', globals.vault]
  const program = join(PACKAGE_FOLDER, 'bin', 'knowtation.js')
  const seated = seat ? ['--project', seat.project_root, '--service', seat.service_root] : []
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

const SERVER_NAME = /^[\w-]{1,64}$/

/** A seat has a name of its own, so that it does not take the place of the hub's in the client's file. */
function nameOf(invocation: Invocation, seat: ToolboxSeat | undefined): string {
  const told = findFlag(invocation, 'name')
  if (told === undefined)
    return seat ? `${USUAL_NAME}-${basename(seat.service_root).replace(/[^\w-]/g, '-')}` : USUAL_NAME
  if (SERVER_NAME.test(told)) return told
  throw new UsageError('--name takes letters, digits, _ and -, 64 at most.', 'Choose such a name.')
}

function databaseNote(env: NodeJS.ProcessEnv, reach: Reach): string[] {
  if (reach.kind !== 'stdio' || !env.KNOWTATION_DATABASE_URL) return []
  return ['KNOWTATION_DATABASE_URL is set here: set it in the environment of the client too.']
}

function mergeFile(file: string, settings: Settings, { format }: McpClient): string {
  const before = readExisting(file)
  const after = merged(file, before ?? '', settings, format)
  if (after === before) return `${file} has it already.`
  mkdirSync(dirname(file), { recursive: true })
  const backup = before === undefined ? undefined : keepBackup(file)
  writeFileAtomically(file, after)
  return `Wrote ${file}.${backup ? ` The former file is ${backup}.` : ''}`
}

function readExisting(file: string): string | undefined {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size > FILE_LIMIT_BYTES) throw notMerged(file, 'It is too large.')
  return findFile(file)
}

function merged(file: string, before: string, settings: Settings, format: McpClient['format']): string {
  try {
    return mergeSettings(before, settings, format)
  } catch (error) {
    if (error instanceof UnmergeableFile) throw notMerged(file, error.message)
    throw error
  }
}

function notMerged(file: string, reason: string): CommandFailure {
  return new CommandFailure(
    'FILE_NOT_MERGED',
    `${file} was left as it is. ${reason}`,
    'Run the command without --write and put the lines in by hand.',
  )
}

function keepBackup(file: string): string {
  const stamp = realSystem.now().toISOString().replace(/[:.]/g, '-')
  const backup = `${file}.${stamp}.bak`
  copyFileSync(file, backup, constants.COPYFILE_EXCL)
  return backup
}
