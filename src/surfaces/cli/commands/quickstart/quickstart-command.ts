import { createInterface } from 'node:readline/promises'
import { ADDRESS_CLIENTS } from '../../../../domains/control/clients/address-clients.ts'
import { ownerLinkCreate } from '../../../../domains/control/owner/link-create.ts'
import { runOperation } from '../../../../operations/run-operation.ts'
import { printable } from '../../../../platform/basics/printable.ts'
import { localCaller } from '../../../../platform/identity/caller.ts'
import { findOwner } from '../../../../platform/identity/owner-account.ts'
import { findFlag, type Invocation, isFlagOn } from '../../command.ts'
import { openHome } from '../../hub/local-connection.ts'
import { askYesNo } from '../../output/ask-yes-no.ts'
import { checkClient, connectClient } from '../connect/connect-command.ts'
import { importFromFile, takenNames } from '../provider-import/import-from-file.ts'
import { readPort } from '../serve-command.ts'
import { type ClientFileFound, findClientFiles, findClients } from './client-files.ts'
import { ensureHub, type FoundHub } from './running-hub.ts'
import { printService } from './service-files.ts'

const USUAL_PORT = '4747'
/** The least that lets a client do anything: to read flows. */
const LEAST_ROLE = 'viewer'

/** From nothing to a first call under rules: the hub, the owner's sign-in, the servers that are there, one client. */
export async function quickstart(invocation: Invocation): Promise<number> {
  const service = findFlag(invocation, 'service')
  if (service !== undefined) return printService(invocation, service)
  const asked = findFlag(invocation, 'client')
  if (asked !== undefined) checkClient(asked)
  const began = await begin(invocation, String(readPort(findFlag(invocation, 'port')) ?? USUAL_PORT))
  tellHub(invocation, began)
  // Before anybody has a password nothing asks for one, so this comes first.
  const imported = await offerImports(invocation)
  const client = asked ?? (await askClient(invocation))
  if (invocation.globals.json)
    invocation.io.stdout.write(`${JSON.stringify({ ...began, imported, client: client ?? null })}\n`)
  if (client === undefined) return tellNext(invocation)
  const flags = new Map([...invocation.flags, ['role', [findFlag(invocation, 'role') ?? LEAST_ROLE]]])
  const code = await connectClient({ ...invocation, flags, positionals: [client] })
  if (code === 0)
    say(invocation, 'Its first call is on record: `knowtation audit list` shows it, and all that follow.')
  return code
}

interface Began extends FoundHub {
  readonly sign_in: string | undefined
}

async function begin(invocation: Invocation, port: string): Promise<Began> {
  const hub = await openHome(invocation)
  try {
    const found = await ensureHub(hub, invocation, port)
    if (await findOwner(hub.db)) return { ...found, sign_in: undefined }
    const call = { operation: ownerLinkCreate, surface: 'cli', address: 'local', vault: undefined } as const
    const made = await runOperation(hub, { ...call, caller: localCaller('knowtation'), input: {} })
    return { ...found, sign_in: made.ok ? (JSON.parse(made.text) as { url: string }).url : undefined }
  } finally {
    await hub.close()
  }
}

function tellHub(invocation: Invocation, { address, pid, sign_in }: Began): void {
  say(
    invocation,
    pid === undefined
      ? `The hub runs at ${address}.`
      : `The hub runs at ${address} now, until it is stopped (kill ${pid}) or this machine is. To keep it for good, as a user of its own: \`knowtation quickstart --service systemd\` or launchd.`,
    sign_in === undefined
      ? 'Sign in with the link that `knowtation owner login` prints.'
      : `Open this once, in a browser on this machine, and choose a password or a passkey:\n\n  ${sign_in}\n`,
  )
}

/** The files whose servers were moved behind the hub. */
async function offerImports(invocation: Invocation): Promise<string[]> {
  const moved: string[] = []
  const files = findClientFiles(invocation.env)
  const taken = files.length > 0 ? await takenNames(invocation) : []
  for (const found of files) {
    // Taken over before: a second time would make providers of the same servers again.
    if (found.servers.some((name) => taken.includes(name))) continue
    say(invocation, `${found.path} names ${found.servers.join(', ')}.`)
    if (!(await isWanted(invocation, found))) continue
    const flags = new Map([...invocation.flags, ['yes', ['true']]])
    if ((await importFromFile({ ...invocation, flags }, found.path)) === 0) moved.push(found.path)
  }
  return moved
}

async function isWanted(invocation: Invocation, { path }: ClientFileFound): Promise<boolean> {
  if (isFlagOn(invocation, 'yes')) return true
  const question = 'Take them behind the hub, where each tool is closed until you have reviewed it? [y/N] '
  if (await askYesNo(invocation, question)) return true
  say(invocation, `Left as it is; \`knowtation provider import --from ${path}\` does it later.`)
  return false
}

async function askClient({ io, env, flags }: Invocation): Promise<string | undefined> {
  if (!process.stdin.isTTY || !io.isErrorTerminal || flags.get('yes')?.at(-1) === 'true') return undefined
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const found = findClients(env)
    const known = Object.keys(ADDRESS_CLIENTS).toSorted(
      (a, b) => Number(found.includes(b)) - Number(found.includes(a)),
    )
    const name = (await lines.question(`Connect which client? (${known.join(', ')}; empty: none) `)).trim()
    if (name !== '') checkClient(name)
    return name || undefined
  } finally {
    lines.close()
  }
}

function tellNext(invocation: Invocation): number {
  say(invocation, `Next, connect a client: \`knowtation connect claude-code --role ${LEAST_ROLE}\`.`)
  return 0
}

function say({ io }: Invocation, ...lines: string[]): void {
  io.stderr.write(`${lines.map(printable).join('\n')}\n`)
}
