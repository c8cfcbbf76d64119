import { z } from 'zod'
import { renderPairs } from '../../../operations/present/present-any.ts'
import { CommandFailure, UsageError } from '../cli-errors.ts'
import type { Flag, Invocation } from '../command.ts'
import {
  credentialPath,
  findCredential,
  type OwnerCredential,
  removeCredential,
} from '../hub/owner-credential.ts'
import { hubAddress, oauthFailure, postForm, readSuccess } from '../hub/owner-oauth-client.ts'
import type { Extension } from '../operation-command.ts'
import { printAnswer } from '../output/output.ts'
import { pageOf } from '../output/page-of.ts'

const FLAGS: readonly Flag[] = [
  { name: 'credential', value: 'FILE', description: "The agent's credential file, with --url" },
]

const Worth = z.looseObject({ active: z.boolean() })

/** With --url and no token it is the agent itself that asks, with the credential that its login saved. */
function isAgentsSide({ globals }: Invocation): boolean {
  return globals.url !== undefined && globals.token === undefined
}

function requireCredential(invocation: Invocation): {
  url: string
  path: string
  credential: OwnerCredential
} {
  const url = hubAddress(invocation)
  const path = credentialPath(invocation, url)
  const credential = findCredential(path)
  if (credential) return { url, path, credential }
  throw new CommandFailure(
    'NOT_LOGGED_IN',
    `There is no credential for ${url} here.`,
    '`knowtation owner agent login --url URL` asks the owner for one.',
  )
}

const act: Extension['act'] = async ({ operation, invocation, call }) =>
  await printAnswer(operation, await call(), invocation)

/** `owner agent list`: the owner sees all agents; an agent, with --url, what its own bearer is worth. */
export const ownerAgentListExtension: Extension = {
  flags: FLAGS,
  async before(invocation) {
    if (!isAgentsSide(invocation)) return undefined
    const { url, path, credential } = requireCredential(invocation)
    const { agent_id, access_token } = credential
    const answer = await postForm(url, '/oauth/introspect', { token: access_token }, access_token)
    if (!answer.ok && answer.body.error !== 'invalid_token') throw oauthFailure(answer.body)
    const isLive = answer.ok && readSuccess(Worth, answer.body).active
    const state = isLive ? 'live' : 'revoked or expired'
    const told = { agent_id, url, state, expires_at: credential.expires_at, credential_file: path }
    const { io, env, globals } = invocation
    const text = globals.json ? JSON.stringify(told) : renderPairs(Object.entries(told), pageOf(io, env))
    io.stdout.write(`${text}\n`)
    return 0
  },
  act,
}

/** `owner agent revoke`: the owner revokes any; an agent, with --url, gives its own bearer back. */
export const ownerAgentRevokeExtension: Extension = {
  flags: FLAGS,
  async before(invocation) {
    if (!isAgentsSide(invocation)) return undefined
    const { url, path, credential } = requireCredential(invocation)
    const { agent_id, access_token } = credential
    if (invocation.positionals[0] !== agent_id)
      throw new UsageError(`The credential here is of ${agent_id}.`, 'An agent can give back its own only.')
    const answer = await postForm(url, '/oauth/revoke', { token: access_token })
    if (!answer.ok) throw oauthFailure(answer.body)
    removeCredential(path)
    const { io, globals } = invocation
    const told = `${agent_id} is revoked, and its credential is removed from ${path}.`
    io.stdout.write(`${globals.json ? JSON.stringify({ agent_id, state: 'revoked' }) : told}\n`)
    return 0
  },
  act,
}
