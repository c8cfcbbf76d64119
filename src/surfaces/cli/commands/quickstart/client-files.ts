import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { ADDRESS_CLIENTS } from '../../../../domains/control/clients/address-clients.ts'
import { USUAL_NAME } from '../../../../domains/control/clients/mcp-clients.ts'
import { isCommandFailure } from '../../cli-errors.ts'
import { readClientFile } from '../provider-import/read-client-file.ts'

/** A file of a client on this machine that names servers. */
export interface ClientFileFound {
  readonly path: string
  readonly servers: readonly string[]
}

/** The files of the usual clients that name servers which are not behind the hub yet. No value of them is looked at. */
export function findClientFiles(env: NodeJS.ProcessEnv): ClientFileFound[] {
  const known = Object.values(ADDRESS_CLIENTS).map(({ file }) => file(env))
  // Beside the file of a project some clients have one of the user.
  const own = ['.claude.json', join('.cursor', 'mcp.json')].map((name) => join(homedir(), name))
  const paths = [...new Set([...known, ...own].map((path) => resolve(path)))]
  return paths.filter((path) => existsSync(path)).flatMap(foundAt)
}

/** The clients that have left something on this machine. */
export function findClients(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(ADDRESS_CLIENTS)
    .filter(([, { file }]) => existsSync(resolve(file(env))))
    .map(([name]) => name)
}

function foundAt(path: string): ClientFileFound[] {
  try {
    const servers = readClientFile(path)
      .servers.map(({ name }) => name)
      .filter((name) => name !== USUAL_NAME)
    return servers.length > 0 ? [{ path, servers }] : []
  } catch (error) {
    // A file without servers, or in a form of its own, is nobody's fault.
    if (isCommandFailure(error)) return []
    throw error
  }
}
