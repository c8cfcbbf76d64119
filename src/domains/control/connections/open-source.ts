import type { Hub } from '../../../operations/hub.ts'
import { connectionTokens } from '../authorization/connection-tokens.ts'
import { type Json, type Source, SourceFault } from '../connectors/connector.ts'
import { openSafeFetch } from '../connectors/safe-fetch.ts'
import { readSecret, replaceSecret } from './connection-secrets.ts'
import { accessToken, OAUTH_SECRET } from './oauth-tokens.ts'

/** What a collector asks for where the owner authorised the connection at a provider. */
const ACCESS_TOKEN = 'access_token'

/** What a source is opened from: a connection as it is stored. */
export interface StoredConnection {
  readonly connection_id: string
  readonly settings_json: string
}

export interface SourceOptions {
  /** The mark from which to go on; null at the beginning. */
  readonly checkpoint: Json
  readonly signal: AbortSignal
}

/** Opens a connection for its collector. Credentials are unsealed only when they are asked for. */
export function openSource(hub: Hub, connection: StoredConnection, options: SourceOptions): Source {
  const { connection_id, settings_json } = connection
  return sourceOf(hub, options, {
    connection_id,
    settings: JSON.parse(settings_json) as Record<string, string>,
    find: (name) => readSecret(hub.db, hub, connection_id, name),
    token: () => connectionTokens(hub).current(connection_id),
    async replaceSecret(name, value) {
      await hub.db.transaction((tx) => replaceSecret(tx, hub, { connection_id, name, value }))
    },
  })
}

/** What the owner has given for a connection that does not exist yet. */
export interface DraftConnection {
  readonly connection_id: string
  readonly settings: Readonly<Record<string, string>>
  /** Credentials by name. A collector that replaces one replaces it here. */
  readonly secrets: Map<string, string>
}

/** Opens what may become a connection, so that its collector can try it first. Nothing is stored. */
export function openDraftSource(hub: Hub, draft: DraftConnection, signal: AbortSignal): Source {
  const { connection_id, settings, secrets } = draft
  return sourceOf(
    hub,
    { checkpoint: null, signal },
    {
      connection_id,
      settings,
      find: async (name) => secrets.get(name),
      token: accessToken,
      replaceSecret: async (name, value) => void secrets.set(name, value),
    },
  )
}

interface Kept extends Pick<Source, 'connection_id' | 'settings' | 'replaceSecret'> {
  find(name: string): Promise<string | undefined>
  /** A token that counts now, where the owner authorised the connection at a provider. */
  token(source: Source): Promise<string>
}

function sourceOf(hub: Hub, { checkpoint, signal }: SourceOptions, { find, token, ...kept }: Kept): Source {
  const source: Source = {
    ...kept,
    fetch: openSafeFetch(hub, signal),
    checkpoint,
    signal,
    log: hub.log,
    now: hub.system.now,
    async secret(name) {
      const found = await find(name)
      if (found !== undefined) return found
      // A collector need not know that tokens end: whichever it is given counts now.
      if (name === ACCESS_TOKEN && (await find(OAUTH_SECRET)) !== undefined) return token(source)
      throw new SourceFault('needs_attention', `The connection has no credential called ${name}.`)
    },
  }
  return source
}
