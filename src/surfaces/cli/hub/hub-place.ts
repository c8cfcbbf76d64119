import type { Hub } from '../../../operations/hub.ts'
import { type Home, homeAt } from '../../../platform/basics/home.ts'
import { sql } from '../../../platform/storage/database.ts'
import type { Invocation } from '../command.ts'

/** Where a hub listens and its owner's files are: what hints name, so that nobody has to look for them. */
export interface HubPlace {
  readonly address: string
  readonly policy: string
  readonly members: string
  readonly config: string
  /** What is wrong with a file of the vault that cannot be read. */
  readonly damage: string | undefined
}

export const USUAL_ADDRESS = 'http://127.0.0.1:4747'
const readPort = sql<{ value: string }>(`SELECT value FROM hub_meta WHERE key = 'listening_port'`)

/** The place of the hub in a home, as it stands now; a store that fails says nothing of the port. */
export async function placeOfHome(hub: Hub, { globals, env }: Invocation): Promise<HubPlace> {
  const home = homeAt(globals.home, env)
  const vault = globals.vault ?? 'default'
  const port = await hub.db.get(readPort).catch(() => undefined)
  const { policy, members } = hub.rulesOf(vault)
  return {
    ...filesOf(home, vault),
    address: port ? `http://127.0.0.1:${port.value}` : USUAL_ADDRESS,
    damage: policy.damaged ?? members.damaged,
  }
}

function filesOf(home: Home, vault: string): Pick<HubPlace, 'policy' | 'members' | 'config'> {
  return { policy: home.vaultPolicy(vault), members: home.vaultMembers(vault), config: home.config }
}

/** The place of a hub that runs elsewhere: only its own machine knows in which folder. */
export function placeOfRemote(address: string, vault = 'default'): HubPlace {
  const inHome = (file: string) => `${file} in the home of the hub at ${address}`
  return {
    address,
    policy: inHome(`vaults/${vault}/policy.yaml`),
    members: inHome(`vaults/${vault}/members.yaml`),
    config: inHome('config.yaml'),
    damage: undefined,
  }
}

/** A hint with the files that it speaks of named; where one of them is damaged, the damage is what has to be told. */
export function hintAt(hint: string, place: HubPlace | undefined): string {
  if (!place) return hint
  const isOfFiles = /(policy|members)\.yaml/.test(hint)
  if (isOfFiles && place.damage)
    return `The file is damaged, so nothing it could allow counts: ${place.damage}. Mend it; \`knowtation doctor\` tells when it is read again.`
  return hint
    .replace(/policy\.yaml( of the vault)?/, place.policy)
    .replace(/members\.yaml( of the vault)?/, place.members)
    .replace(/(the )?config\.yaml of the hub/, place.config)
}
