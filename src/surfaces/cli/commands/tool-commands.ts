import { toolOperations } from '../../../domains/toolbox/index.ts'
import { type Listed, listToolsFor, toolList } from '../../../domains/toolbox/offered-tools.ts'
import { TOOL_ROLES } from '../../../domains/toolbox/tool-context.ts'
import { toolDoor } from '../../../domains/toolbox/tool-door.ts'
import { Refusal } from '../../../operations/errors.ts'
import { wrapped } from '../../../operations/present/text-width.ts'
import { runOperation } from '../../../operations/run-operation.ts'
import { toolboxCaller } from '../../../platform/identity/caller.ts'
import { UsageError } from '../cli-errors.ts'
import { findFlag, type Invocation } from '../command.ts'
import type { CallAnswer } from '../hub/connection.ts'
import { openHome } from '../hub/local-connection.ts'
import { readAnswer } from '../hub/parse-answer.ts'
import { connectRemotely } from '../hub/remote-connection.ts'
import { readJsonArgument } from '../line/read-json-argument.ts'
import { isSeated, seatCaller } from '../line/seat-flags.ts'
import { printRefusal } from '../output/output.ts'

/** Prints the tools that a role sees, or those of a session at a running hub; what is printed is what may be called. */
export async function listTools(invocation: Invocation): Promise<number> {
  const { io, globals, flags } = invocation
  // A hub of the environment is meant for calls; a role can be looked up all the same.
  const isAsked = globals.url !== undefined && (flags.has('url') || !isSeated(invocation))
  const answer = isAsked ? await listThere(invocation, globals.url) : listHere(invocation)
  if (!answer.ok) return printRefusal(answer, invocation)
  if (globals.json) {
    io.stdout.write(`${answer.text}\n`)
    return 0
  }
  const { role, tools } = readAnswer<typeof Listed>(answer)
  const width = Math.max(0, ...tools.map(({ name }) => name.length))
  const rest = `\n${' '.repeat(width + 2)}`
  for (const { name, description } of tools) {
    const summary = findTool(name)?.summary ?? description
    const told = wrapped(summary, io.columns - width - 2).join(rest)
    io.stdout.write(`${name.padEnd(width)}  ${told}\n`)
  }
  if (tools.length === 0)
    io.stdout.write(`The role ${role} has no tools. Roles with tools are ${TOOL_ROLES.join(', ')}.\n`)
  return 0
}

function listHere(invocation: Invocation): CallAnswer {
  const caller = listedCaller(invocation, findFlag(invocation, 'role') ?? 'dev')
  const text = JSON.stringify(listToolsFor(toolOperations, caller))
  return { ok: true, text, code: null, retry_after_seconds: undefined }
}

async function listThere(invocation: Invocation, url: string): Promise<CallAnswer> {
  checkUnseated(invocation, url)
  return connectRemotely(url, invocation).call(toolList(toolOperations), {})
}

/** A seat that is named must be one that could be taken; what its agent sees follows from the role alone. */
function listedCaller(invocation: Invocation, role: string) {
  const isPlaced = invocation.flags.has('service') || invocation.flags.has('project')
  if (isPlaced) return seatCaller(invocation, 'knowtation')
  const seat = { project_root: '/', service_root: '/', role, agent_id: 'local' }
  return toolboxCaller('local', 'default', seat, 'knowtation')
}

/** Calls one tool and prints its result. */
export async function callTool(invocation: Invocation): Promise<number> {
  const given = findFlag(invocation, 'args') ?? '{}'
  const input = await readJsonArgument('--args', given, invocation.io.stdin)
  const { url } = invocation.globals
  const answer =
    url === undefined ? await callHere(invocation, input) : await callThere(invocation, url, input)
  const text = invocation.globals.json ? answer.text : JSON.stringify(JSON.parse(answer.text), null, 2)
  invocation.io.stdout.write(`${text}\n`)
  return answer.ok ? 0 : 1
}

async function callHere(invocation: Invocation, input: unknown) {
  const caller = seatCaller(invocation, 'knowtation')
  const operation = findTool(invocation.positionals[0])
  const hub = await openHome(invocation)
  try {
    return await runOperation(hub, {
      operation: operation ?? toolDoor,
      surface: 'cli',
      caller,
      address: 'local',
      vault: invocation.globals.vault,
      input,
      ...(!operation && { refused: new Refusal('ToolNotFound') }),
    })
  } finally {
    await hub.close()
  }
}

/** On a running hub the seat is that of the session whose bearer is given as the token: another one cannot be asked for. */
function checkUnseated(invocation: Invocation, url: string): void {
  if (!isSeated(invocation)) return
  throw new UsageError(
    `At ${url} the seat is that of the session, which no flag changes.`,
    'Leave out --service, --project, --role and the like; or leave out --url and unset KNOWTATION_URL.',
  )
}

async function callThere(invocation: Invocation, url: string, input: unknown) {
  checkUnseated(invocation, url)
  const connection = connectRemotely(url, invocation)
  const name = invocation.positionals[0] as string
  // A name that this program does not know may still be one of a newer hub's.
  const operation = findTool(name) ?? {
    ...toolDoor,
    rest: `POST /api/v1/tools/${encodeURIComponent(name)}`,
  }
  return connection.call(operation, input as Record<string, unknown>)
}

function findTool(wanted: string | undefined) {
  return toolOperations.find(({ name }) => name === wanted)
}
