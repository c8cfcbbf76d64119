import { existsSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { ToolFault } from '../../tool-fault.ts'
import type { GitCall } from '../run/git-run.ts'
import { findRemoteAddress, isRemoteName, type RemoteAddress } from './remote-address.ts'
import type { Repository } from './repository.ts'

/** A remote that may be pushed to. */
export interface PushTarget {
  readonly name: string
  readonly remote: RemoteAddress
  /** Named by the owner's policy and not only by the repository. */
  readonly is_in_policy: boolean
}

/**
 * Looks a remote up by name: the project's policy first, then the repository's own configuration. A folder that
 * only the repository names counts where the policy names no remotes at all: an owner who lists them means those.
 */
export function requirePushTarget(call: GitCall, { settings }: Repository, name: string): PushTarget {
  if (!isRemoteName(name)) throw unknownRemote(name, 'is not the name of a remote')
  const { git_remotes } = call.policy
  const is_in_policy = Object.hasOwn(git_remotes, name)
  const address = is_in_policy ? git_remotes[name] : ownValue(settings.remotes, name)
  if (address === undefined) throw unknownRemote(name, 'is not a configured remote')
  const remote = findRemoteAddress(address)
  const mayBeFolder = is_in_policy || Object.keys(git_remotes).length === 0
  if (remote === undefined || (remote.kind === 'folder' && !mayBeFolder)) {
    throw unknownRemote(name, 'has an address that may not be pushed to')
  }
  if (remote.kind === 'ssh') throw sshRefused(name)
  if (remote.kind === 'folder') checkFolder(call, remote.address, is_in_policy)
  return { name, remote, is_in_policy }
}

function ownValue(record: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

function unknownRemote(name: string, why: string): ToolFault {
  return new ToolFault(
    'ValidationError',
    `${JSON.stringify(name.slice(0, 80))} ${why}.`,
    'Give the name of a remote, such as origin, whose https address or folder the repository or the policy has.',
  )
}

function sshRefused(name: string): ToolFault {
  return new ToolFault(
    'NotSupported',
    `The remote ${name} is reached over ssh, and no ssh keys are ever given to git here.`,
    'Ask the owner to name an https address for it in the policy, with a credential in the hub.',
  )
}

/** Refuses a folder that an agent could have made: its hooks run when something is pushed into it. */
function checkFolder({ context, hub }: GitCall, folder: string, is_in_policy: boolean): void {
  const isApart = [context.project_root, hub.home.folder].every(
    (other) => !isWithin(other, folder) && !isWithin(folder, other),
  )
  if (isApart && findRealPath(folder) === folder && (is_in_policy || isBare(folder))) return
  throw new ToolFault(
    'NotConfigured',
    'The folder of this remote is missing, is no bare repository, is reached through a link, or lies in the project.',
    'Ask the owner to name a bare repository outside the project in the policy.',
  )
}

/** Whether a folder is laid out as a bare repository. Nothing else is opened for writing on a repository's word. */
function isBare(folder: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(folder, name)))
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

function findRealPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
