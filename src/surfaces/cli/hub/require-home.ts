import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { type Home, homeAt } from '../../../platform/basics/home.ts'
import { CommandFailure } from '../cli-errors.ts'
import type { Invocation } from '../command.ts'

/**
 * Refuses a home that was typed and holds no hub, before anything is made there: whoever only looks or ends something
 * has mistyped the name. An empty folder was made on purpose, and the usual home may begin with any command.
 */
export function requireHome({ globals, env }: Pick<Invocation, 'globals' | 'env'>): void {
  if (globals.home === undefined) return
  // With both of these the hub is on a server, and nothing of it has to be in the home.
  if (env.KNOWTATION_DATABASE_URL && env.KNOWTATION_AUDIT_KEY) return
  const home = homeAt(globals.home, env)
  const names = namesIn(home.folder)
  if (names === 'missing') throw noHub(home, 'the folder does not exist')
  if (names.length > 0 && !names.some((name) => isOfHub(home, name)))
    throw noHub(home, 'the folder holds other things')
}

/** What is in a folder. Whatever is wrong with it besides is told by opening it. */
function namesIn(folder: string): string[] | 'missing' {
  try {
    return readdirSync(folder)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'missing' : []
  }
}

/** What a file is called while another program is making it, in a home that begins at this moment. */
const DRAFT = /\.[0-9a-f]{12}$/

function isOfHub(home: Home, name: string): boolean {
  const { database, auditKey, auditWitness, hubToken, secretsKey, config } = home
  const files = [database, auditKey, auditWitness, hubToken, secretsKey, config]
  return name === 'vaults' || files.some((path) => basename(path) === name.replace(DRAFT, ''))
}

function noHub({ folder }: Home, why: string): CommandFailure {
  return new CommandFailure(
    'HUB_NOT_FOUND',
    `There is no hub in ${folder}: ${why}. Nothing was made there.`,
    `Check --home. \`knowtation serve --home ${folder}\` begins a new hub there.`,
  )
}
