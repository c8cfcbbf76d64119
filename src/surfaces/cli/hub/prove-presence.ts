import { setTimeout as pause } from 'node:timers/promises'
import { ownerAddress } from '../../../domains/control/owner/hub-address.ts'
import { Refusal } from '../../../operations/errors.ts'
import type { Hub } from '../../../operations/hub.ts'
import { type Presence, requireProof } from '../../../operations/presence.ts'
import {
  askPresence,
  canProve,
  findPresence,
  type Opening,
} from '../../../platform/identity/owner-presence.ts'
import { CommandFailure } from '../cli-errors.ts'
import type { Invocation } from '../command.ts'
import { readHidden } from '../output/read-hidden.ts'

const LOOK_EVERY_MS = 500
const PASSWORD_LIMIT_BYTES = 4_096

/**
 * The owner in person: the password, typed at the terminal or handed over on stdin, or a tap in the browser. It is never an
 * argument or a variable, which other programs of the same user can read, and never kept for the next command.
 */
export async function provePresence(invocation: Invocation, hub: Hub, opening: Opening): Promise<Presence> {
  const { globals, io } = invocation
  if (globals.proof === 'stdin') return { password: await readPassword(io.stdin) }
  if (globals.proof === 'browser') return confirmInBrowser(invocation, hub, opening)
  if (!process.stdin.isTTY || !io.isErrorTerminal)
    throw new CommandFailure(
      'PRESENCE_REQUIRED',
      'This opens something, so it takes the owner in person.',
      'Run it in a terminal, or with --in-browser, or give the password on stdin with --password-stdin.',
    )
  const password = await readHidden("The owner's password (empty: confirm in the browser): ")
  return password === '' ? confirmInBrowser(invocation, hub, opening) : { password }
}

/** Has the owner prove to be there for what is no operation, where they can. */
export async function proveOpening(invocation: Invocation, hub: Hub, opening: Opening): Promise<void> {
  if (!(await canProve(hub.db))) return
  try {
    await requireProof(hub, await provePresence(invocation, hub, opening), opening, 'local')
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new CommandFailure(error.code, error.reason ?? 'The owner was not shown to be there.')
  }
}

async function readPassword(stdin: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const part of stdin) {
    text += String(part)
    if (text.includes('\n') || text.length > PASSWORD_LIMIT_BYTES) break
  }
  return text.split(/\r?\n/, 1)[0] ?? ''
}

async function confirmInBrowser({ io }: Invocation, hub: Hub, opening: Opening): Promise<Presence> {
  const { request, address } = await hub.db.transaction(async (tx) => ({
    request: await askPresence(tx, hub, opening),
    address: await ownerAddress(tx, hub),
  }))
  const { presence_id } = request
  io.stderr.write(
    `Confirm it in the browser, where the hub serves: ${address}/owner/presence/${presence_id}\n`,
  )
  for (;;) {
    const found = await findPresence(hub.db, presence_id)
    if (found?.state === 'confirmed') return { confirmed: presence_id }
    if (found?.state !== 'waiting' || found.expires_at <= hub.system.now().toISOString())
      throw new CommandFailure('PRESENCE_REQUIRED', 'It was not confirmed. Nothing was done.')
    await pause(LOOK_EVERY_MS)
  }
}
