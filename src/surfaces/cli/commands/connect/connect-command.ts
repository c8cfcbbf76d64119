import { resolve } from 'node:path'
import { ADDRESS_CLIENTS, type AddressClient } from '../../../../domains/control/clients/address-clients.ts'
import { USUAL_NAME } from '../../../../domains/control/clients/mcp-clients.ts'
import { renderSettings } from '../../../../domains/control/clients/merge-settings.ts'
import { hubAddress } from '../../../../domains/control/owner/hub-address.ts'
import type { Hub } from '../../../../operations/hub.ts'
import { homeAt } from '../../../../platform/basics/home.ts'
import { printable } from '../../../../platform/basics/printable.ts'
import { readHubConfig } from '../../../../platform/policy/hub-config.ts'
import { UsageError } from '../../cli-errors.ts'
import { findFlag, type Invocation, isFlagOn } from '../../command.ts'
import { openHome } from '../../hub/local-connection.ts'
import { checkAddress } from '../../hub/remote-connection.ts'
import { findNearest } from '../../line/nearest.ts'
import { mergeFile } from '../mcp-config/merge-file.ts'
import { checkServerName } from '../mcp-config/server-name.ts'
import { keepWish, readWish } from './connect-wish.ts'
import { startSignIn } from './start-sign-in.ts'
import { waitForClient } from './wait-for-client.ts'

const WAIT_SECONDS = 300
const WAIT_SECONDS_MAX = 3_600

/** `connect`: writes the address alone. What the client may do, the owner decides when it signs in. */
export async function connectClient(invocation: Invocation): Promise<number> {
  const { globals, env } = invocation
  const client = requireClient(invocation.positionals[0] ?? '')
  const wait_seconds = waitOf(invocation)
  const wish = readWish(invocation)
  if (globals.url !== undefined) {
    const url = checkAddress(globals.url, readHubConfig(homeAt(globals.home, env)))
    tell(invocation, client, url)
    return 0
  }
  const hub = await openHome(invocation)
  try {
    if (wish) await keepWish(hub, invocation, wish, wait_seconds)
    tell(invocation, client, hub.config.public_url ?? (await hubAddress(hub.db)))
    if (wait_seconds === 0 || isFlagOn(invocation, 'print')) return 0
    return await signInAndWait(hub, invocation, client, wait_seconds)
  } finally {
    await hub.close()
  }
}

/** The wait begins before the client does: its first call may come at once. */
async function signInAndWait(hub: Hub, invocation: Invocation, client: AddressClient, wait_seconds: number) {
  const { env, globals } = invocation
  const words = globals.json ? undefined : client.signIn?.(nameOf(invocation))
  const waiting = waitForClient(hub, invocation, wait_seconds)
  const child = words && startSignIn(words, env)
  try {
    return await waiting
  } finally {
    child?.kill()
  }
}

function nameOf(invocation: Invocation): string {
  return checkServerName(findFlag(invocation, 'name') ?? USUAL_NAME)
}

/** Refuses a name that is no client's. */
export function checkClient(name: string): void {
  requireClient(name)
}

function requireClient(name: string): AddressClient {
  if (Object.hasOwn(ADDRESS_CLIENTS, name)) return ADDRESS_CLIENTS[name] as AddressClient
  const names = Object.keys(ADDRESS_CLIENTS)
  const nearest = findNearest(name, names)
  const known = `The clients are ${names.join(', ')}.`
  throw new UsageError(`There is no client ${name}.`, nearest ? `Did you mean ${nearest}? ${known}` : known)
}

function waitOf(invocation: Invocation): number {
  const text = findFlag(invocation, 'wait') ?? String(WAIT_SECONDS)
  if (/^\d{1,4}$/.test(text) && Number(text) <= WAIT_SECONDS_MAX) return Number(text)
  throw new UsageError('--wait takes seconds.', `From 0, which does not wait, to ${WAIT_SECONDS_MAX}.`)
}

/** Writes or prints the settings, and says what is to be done in the client. */
function tell(invocation: Invocation, client: AddressClient, address: string): void {
  const { env, io, globals } = invocation
  const url = URL.parse(address)?.pathname === '/' ? `${address}/mcp` : address
  const name = nameOf(invocation)
  const file = resolve(client.file(env))
  const settings = client.settings(url, name)
  const isPrinted = isFlagOn(invocation, 'print')
  const done = isPrinted ? `Put this into ${file}.` : mergeFile(file, settings, client.format)
  const link = client.link?.(url, name)
  if (globals.json)
    io.stdout.write(
      `${JSON.stringify({ url, file, settings, written: !isPrinted, scope: client.scope, link })}\n`,
    )
  else if (isPrinted) io.stdout.write(renderSettings(settings, client.format))
  if (globals.json) return
  const lines = [
    done,
    ...(client.scope === 'project' ? [PROJECT_NOTE] : []),
    ...(link === undefined ? [] : [`Or let it take the settings by itself:  ${link}`]),
    client.next(name),
    'In the browser you decide as the owner what it may do. The file holds the address and no credential.',
    ...(readWish(invocation)
      ? ['The page there comes with what you said ticked; it counts once you have allowed it.']
      : []),
  ]
  io.stderr.write(`${lines.map(printable).join('\n')}\n`)
}

const PROJECT_NOTE =
  'The file belongs to this folder, and so to all who get it: the client asks whether to trust it before it connects.'
