import { hash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Hub } from '../../operations/hub.ts'
import { type Reader, sql } from '../../platform/storage/database.ts'

/** A hub that has written nothing for so long has ended. */
const SILENT_MS = 180_000
/** What has not changed is written again so often, as a sign of life. */
const AGAIN_MS = 60_000
/** Places that nobody writes any more are forgotten after a day. */
const FORGOTTEN_MS = 86_400_000
const HUBS_LIMIT = 1_000
const VAULTS_LIMIT = 1_000

const PREFIX = 'hub_policies:'
const listAll = sql<{ key: string; value: string }>(
  `SELECT key, value FROM hub_meta WHERE key >= '${PREFIX}' AND key < 'hub_policies;' ORDER BY key LIMIT ?`,
)
const read = sql<{ value: string }>('SELECT value FROM hub_meta WHERE key = ?')
const write = sql(
  'INSERT INTO hub_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
)
const forget = sql('DELETE FROM hub_meta WHERE key = ?')

const Note = z.object({
  at: z.iso.datetime(),
  place: z.string(),
  /** The revisions of the owner's files, by vault. */
  vaults: z.record(z.string(), z.object({ policy: z.string(), members: z.string() })),
})

/** What a hub has said of itself. */
export type KnownHub = z.infer<typeof Note>

/** A home on a machine: a hub that starts again on it is the same one. */
const placeOf = ({ home }: Pick<Hub, 'home'>) => `${hostname()}:${home.folder}`
const keyOf = (hub: Pick<Hub, 'home'>) => `${PREFIX}${hash('sha256', placeOf(hub)).slice(0, 24)}`

/** The revisions of the owner's files as this home has them. */
export function ownPolicies({ home, rulesOf }: Pick<Hub, 'home' | 'rulesOf'>): KnownHub['vaults'] {
  const folder = dirname(dirname(home.vaultPolicy('default')))
  const named = existsSync(folder) ? readdirSync(folder).slice(0, VAULTS_LIMIT) : []
  const vaults = [...new Set(['default', ...named])].toSorted()
  const revisionsOf = (vault_id: string) => {
    const { policy, members } = rulesOf(vault_id)
    return { policy: policy.revision, members: members.revision }
  }
  return Object.fromEntries(vaults.map((vault_id) => [vault_id, revisionsOf(vault_id)]))
}

/** Tells other hubs on the same PostgreSQL which policies count here, where they do not know it yet. */
export async function tellPolicies(hub: Hub): Promise<void> {
  if (hub.db.kind !== 'postgres') return
  const now = hub.system.now()
  const vaults = ownPolicies(hub)
  const told = readNote((await hub.db.get(read, keyOf(hub)))?.value ?? '')
  const isTold = told !== undefined && isDeepStrictEqual(told.vaults, vaults)
  if (isTold && now.getTime() - Date.parse(told.at) < AGAIN_MS) return
  const note: KnownHub = { at: now.toISOString(), place: placeOf(hub), vaults }
  await hub.db.transaction(async (tx) => {
    await tx.run(write, keyOf(hub), JSON.stringify(note))
    for (const { key, value } of await tx.all(listAll, HUBS_LIMIT))
      if (ageOf(value, now) > FORGOTTEN_MS) await tx.run(forget, key)
  })
}

function ageOf(value: string, now: Date): number {
  const note = readNote(value)
  return note ? now.getTime() - Date.parse(note.at) : Number.POSITIVE_INFINITY
}

function readNote(value: string): KnownHub | undefined {
  try {
    return Note.safeParse(JSON.parse(value)).data
  } catch {
    return undefined
  }
}

/** The other hubs that serve the same database now. */
export async function listOtherHubs(db: Reader, hub: Pick<Hub, 'home'>, now: Date): Promise<KnownHub[]> {
  const found = await db.all(listAll, HUBS_LIMIT)
  return found
    .filter(({ key, value }) => key !== keyOf(hub) && ageOf(value, now) <= SILENT_MS)
    .map(({ value }) => readNote(value) as KnownHub)
}
