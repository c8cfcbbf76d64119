import { homedir } from 'node:os'
import { z } from 'zod'
import { hubOwner } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { hubAddress } from '../owner/hub-address.ts'
import { ADDRESS_CLIENTS, type AddressClient } from './address-clients.ts'
import {
  BEARER_VARIABLE,
  GRANT_BEARER,
  HEADER_CLIENTS,
  OWN_TOKEN,
  type SentSecret,
} from './header-clients.ts'

const WAYS = ['sign_in', 'grant', 'token'] as const
type Way = (typeof WAYS)[number]

/** What a client has to send, by how it comes in. Who signs in brings no secret of ours. */
const SECRETS: Readonly<Record<Way, readonly SentSecret[]>> = {
  sign_in: [],
  grant: [OWN_TOKEN, GRANT_BEARER],
  token: [OWN_TOKEN],
}

const ClientSettings = z
  .strictObject({
    client: z.string(),
    file: z.string().describe('Where its settings lie; without a root: in the folder one works in'),
    scope: z.enum(['project', 'user']),
    format: z.enum(['json', 'toml', 'yaml']),
    settings: z.string().nullable().describe('What is put there; null where it can only sign in'),
    variables: z.array(z.string()).describe('Variables of its environment that hold its secrets'),
    link: z.string().nullable().describe('An address that makes it take the settings by itself'),
    next: z.string().describe('What is left to do in it'),
    command: z.string().nullable().describe('The command that writes the file and waits for the first call'),
  })
  .meta({ id: 'ClientSettings' })

export const ClientSettingsOutput = z.strictObject({
  schema: z.literal('knowtation.client_settings/v0'),
  url: z.string(),
  with: z.enum(WAYS),
  clients: z.array(ClientSettings),
})

export const clientSettings = defineOperation({
  name: 'client_settings',
  summary: 'Show what connects each MCP client to this hub. No settings hold a secret.',
  effect: 'read',
  authority: hubOwner(),
  whileLocked: true,
  rest: 'GET /api/v1/client-settings',
  cli: 'client settings',
  errors: {},
  input: z.strictObject({
    client: z.enum(Object.keys(ADDRESS_CLIENTS)).optional().describe('Only this one'),
    name: z
      .string()
      .regex(/^[\w-]{1,64}$/)
      .default('knowtation')
      .describe('What the client calls the hub'),
    with: z
      .enum(WAYS)
      .default('sign_in')
      .describe('How it comes in: it signs in and you tick what it may, by a grant, or by a token'),
  }),
  output: ClientSettingsOutput,
  present: async () => (await import('./present-clients.ts')).presentClients,
  async handle({ input, db, hub }) {
    const { renderSettings } = await import('./merge-settings.ts')
    const url = `${hub.config.public_url ?? (await hubAddress(db))}/mcp`
    const wanted = Object.entries(ADDRESS_CLIENTS).filter(
      ([name]) => input.client === undefined || name === input.client,
    )
    const show = ([client, settings]: [string, AddressClient]) => {
      const { scope, format, file } = settings
      const given = settingsOf(client, settings, { url, name: input.name, way: input.with })
      return {
        client,
        file: file({}).replace(homedir(), '~'),
        scope,
        format,
        ...given,
        settings: given.settings && renderSettings(given.settings, format),
      }
    }
    return {
      schema: 'knowtation.client_settings/v0' as const,
      url,
      with: input.with,
      clients: wanted.map(show),
    }
  },
})

interface Wanted {
  readonly url: string
  readonly name: string
  readonly way: Way
}

function settingsOf(client: string, at: AddressClient, { url, name, way }: Wanted) {
  const named = name === 'knowtation' ? '' : ` --name ${name}`
  if (way === 'sign_in')
    return {
      settings: at.settings(url, name),
      variables: [],
      link: at.link?.(url, name) ?? null,
      next: at.next(name),
      command: `knowtation connect ${client}${named}`,
    }
  const secrets = SECRETS[way]
  const settings = HEADER_CLIENTS[client]?.(url, name, secrets) ?? null
  const isBridge = client === 'claude-desktop'
  const variables = secrets.map(({ variable, prefix }) => (isBridge && prefix ? BEARER_VARIABLE : variable))
  if (!settings)
    return {
      settings,
      variables: [],
      link: null,
      next: 'It takes no secret from its environment: let it sign in at the address instead.',
      command: null,
    }
  const value = isBridge ? ` (${BEARER_VARIABLE} is the word Bearer, a space and the token)` : ''
  return {
    settings,
    variables: client === 'vscode' ? [] : variables,
    link: null,
    next:
      client === 'vscode'
        ? 'VS Code asks for each secret once and keeps it for you.'
        : `Set ${variables.join(' and ')}${value} where it is started.`,
    command: null,
  }
}
