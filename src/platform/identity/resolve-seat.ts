import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import type { ToolboxSeat } from './caller.ts'

/** There can be no such seat; the message says why, and what to name instead. */
export class SeatInvalid extends Error {
  override readonly name = 'SeatInvalid'
}

/** A seat as a person or a configuration names it. */
export interface WantedSeat {
  /** Absolute, or relative to the project. */
  readonly service: string
  readonly project?: string | undefined
  /** `dev` where nothing is said. */
  readonly role?: string | undefined
  readonly agent_id: string
  readonly isolation_level?: string | undefined
  readonly allowed_commands?: readonly string[] | undefined
  readonly access_token?: string | undefined
}

/** Folders are looked for upwards no further than this. */
const DEPTH_LIMIT = 64

/** The seat with its real folders, after checking that it is one. */
export function resolveSeat(wanted: WantedSeat): ToolboxSeat {
  const { role = 'dev', agent_id, isolation_level, allowed_commands, access_token } = wanted
  if ([wanted.service, wanted.project].includes(''))
    throw new SeatInvalid('The project and the service must be named; the whole project is `.`.')
  const project_root = realFolder(wanted.project ?? findProject(wanted.service))
  const service_root = realFolder(
    isAbsolute(wanted.service) ? wanted.service : join(project_root, wanted.service),
  )
  checkInside(project_root, service_root)
  return {
    project_root,
    service_root,
    role,
    agent_id,
    ...(isolation_level !== undefined && { isolation_level }),
    ...(allowed_commands !== undefined && { allowed_commands }),
    ...(access_token !== undefined && { access_token }),
  }
}

/** The nearest folder at or above the service that holds a policy or a repository. */
function findProject(service: string): string {
  if (!isAbsolute(service))
    throw new SeatInvalid('Without a project, the service must be named by its whole path.')
  let folder = resolve(service)
  for (let depth = 0; depth < DEPTH_LIMIT; depth++) {
    if (existsSync(join(folder, '.flow')) || existsSync(join(folder, '.git'))) return folder
    const above = dirname(folder)
    if (above === folder) break
    folder = above
  }
  throw new SeatInvalid('No folder above the service holds .flow or .git: name the project.')
}

/** Where a folder really lies: the guard holds folders by what they are, not by links that lead there. */
function realFolder(path: string): string {
  try {
    const real = realpathSync(path)
    if (isAbsolute(path) && lstatSync(real).isDirectory()) return real
  } catch {
    // Told below, in the same words.
  }
  throw new SeatInvalid('The project and the service must be folders that are there.')
}

function checkInside(project_root: string, service_root: string): void {
  const inside = relative(project_root, service_root)
  if (inside === '..' || inside.startsWith('../') || isAbsolute(inside))
    throw new SeatInvalid('The service must lie inside the project.')
}
