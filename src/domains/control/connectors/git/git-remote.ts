import { lstat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { isSafeAddress } from '../../connections/oauth-provider.ts'
import { type Source, SourceFault } from '../connector.ts'
import { findSecret } from '../fetch-changed.ts'
import { requireOwnersPlace } from '../source-faults.ts'

const MAX_ADDRESS_CHARS = 1_000
const REF_NAME = /^(?!.*(?:\.\.|\/\/|@\{|\.lock$|\/$|\.$))[A-Za-z0-9_][\w./+@=-]{0,199}$/

/** Where a repository is, and what git is told so that it goes there and nowhere else. */
export interface GitRemote {
  readonly address: string
  /** What is asked for: a branch, or what the repository itself calls its head. */
  readonly ref: string
  readonly protocols: 'file' | 'http' | 'https'
  readonly settings: readonly { readonly name: string; readonly value: string }[]
  /** A folder that git has to see. */
  readonly folder: string | undefined
}

/** The repository of a connection: a folder of this machine, or an address of the web that may be reached. */
export async function requireRemote(source: Source): Promise<GitRemote> {
  const { repository = '', branch = '' } = source.settings
  if (branch !== '' && !REF_NAME.test(branch)) {
    throw new SourceFault('needs_attention', 'That cannot be the name of a branch.')
  }
  const ref = branch === '' ? 'HEAD' : `refs/heads/${branch}`
  if (repository.length > MAX_ADDRESS_CHARS || /\p{Cc}/u.test(repository)) throw notARepository()
  if (isAbsolute(repository)) return { ...(await folderRemote(repository)), ref }
  return { ...(await webRemote(source, repository)), ref }
}

async function folderRemote(path: string): Promise<Omit<GitRemote, 'ref'>> {
  try {
    const folder = requireOwnersPlace(path)
    if ((await lstat(folder)).isDirectory()) {
      return { address: folder, protocols: 'file', settings: [], folder }
    }
  } catch (error) {
    if (error instanceof SourceFault) throw error
    // Said below, as for what is no folder.
  }
  throw new SourceFault('not_found', 'The repository is not there.')
}

async function webRemote(source: Source, address: string): Promise<Omit<GitRemote, 'ref'>> {
  const url = URL.parse(address)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.username || url.password) {
    throw notARepository()
  }
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const located = await source.fetch.locate(url.hostname)
  // Git connects to the address that was checked, whatever the name stands for by then.
  const settings = [{ name: 'http.curloptResolve', value: `${url.hostname}:${port}:${located}` }]
  const token = await findSecret(source, 'token')
  if (token !== undefined) {
    if (!isSafeAddress(url)) throw new SourceFault('refused', 'A token goes over https alone.')
    settings.push(credentialSetting(url, source.settings.user || 'git', token))
  }
  const protocols = url.protocol === 'https:' ? 'https' : 'http'
  return { address: url.href, protocols, settings, folder: undefined }
}

function credentialSetting(url: URL, user: string, token: string) {
  const encoded = Buffer.from(`${user}:${token}`).toString('base64')
  return { name: `http.${url.origin}/.extraHeader`, value: `Authorization: Basic ${encoded}` }
}

function notARepository(): SourceFault {
  return new SourceFault(
    'needs_attention',
    'A repository is named by its https address without user and password, or by the full path of its folder.',
  )
}
