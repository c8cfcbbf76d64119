import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { homeAt } from '../../../platform/basics/home.ts'
import { ensurePrivateFolder, findFile } from '../../../platform/basics/private-file.ts'
import { writeWhole } from '../../../platform/basics/write-whole.ts'
import { CommandFailure } from '../cli-errors.ts'
import { findFlag, type Invocation } from '../command.ts'
import { hubAddress } from './owner-oauth-client.ts'

/** What an owner agent keeps: where it was let in, and the bearer that nobody prints. */
const Credential = z.strictObject({
  url: z.string(),
  agent_id: z.string(),
  client_id: z.string(),
  access_token: z.string(),
  expires_at: z.string(),
})
export type OwnerCredential = z.infer<typeof Credential>

/** The file of the credential for a hub: `--credential FILE`, else one in the home, named for the hub. */
export function credentialPath(invocation: Invocation, url: string): string {
  const chosen = findFlag(invocation, 'credential')
  if (chosen !== undefined) return chosen
  const name = new URL(url).host.replace(/[^\w.-]+/g, '_')
  return join(homeAt(invocation.globals.home, invocation.env).folder, 'owner-agents', `${name}.json`)
}

/**
 * The call of an owner agent: with --url and no token it shows the bearer that its login saved for that very hub,
 * so that nobody has to take it out of the file and carry it around.
 */
export function asOwnerAgent(invocation: Invocation): Invocation {
  const { globals } = invocation
  if (globals.url === undefined || globals.token !== undefined) return invocation
  const url = hubAddress(invocation)
  const credential = findCredential(credentialPath(invocation, url))
  if (credential?.url !== url) return invocation
  return { ...invocation, globals: { ...globals, token: credential.access_token } }
}

/** The saved credential for a hub. One that others on the machine could read is not used. */
export function findCredential(path: string): OwnerCredential | undefined {
  const text = findFile(path)
  if (text === undefined) return undefined
  if ((statSync(path).mode & 0o077) !== 0)
    throw new CommandFailure(
      'CREDENTIAL_EXPOSED',
      `${path} can be read by others, so it is not used.`,
      `Run chmod 600 ${path}, or revoke the agent and log in again.`,
    )
  try {
    return Credential.parse(JSON.parse(text))
  } catch {
    throw new CommandFailure('CREDENTIAL_DAMAGED', `${path} is damaged.`, 'Remove it and log in again.')
  }
}

/** Makes sure that a credential can be saved, before the owner is asked for one. */
export function prepareCredential(path: string): void {
  refuseUnsaved(path, () => {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new Error('It is a folder.')
    writeDraft(path, '', () => {})
  })
}

/** Saves a credential so that only its owner may read it, whole or not at all. */
export function saveCredential(path: string, credential: OwnerCredential): void {
  const content = `${JSON.stringify(credential, null, 2)}\n`
  refuseUnsaved(path, () => writeDraft(path, content, (draft) => renameSync(draft, path)))
}

function writeDraft(path: string, content: string, finish: (draft: string) => void): void {
  ensurePrivateFolder(dirname(path))
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeWhole(file, content)
    fsyncSync(file)
    finish(draft)
  } finally {
    closeSync(file)
    rmSync(draft, { force: true })
  }
}

function refuseUnsaved(path: string, write: () => void): void {
  try {
    write()
  } catch (error) {
    throw new CommandFailure(
      'CREDENTIAL_NOT_SAVED',
      `No credential can be saved in ${path}: ${(error as Error).message}`,
      'Choose another place with --credential FILE, or another home.',
    )
  }
}

/** Forgets a credential. */
export function removeCredential(path: string): void {
  rmSync(path, { force: true })
}
