import { isAbsolute, normalize } from 'node:path'

const REMOTE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,31}(?:\.[A-Za-z0-9_-]{1,31}){0,3}$/
const MAX_ADDRESS_CHARS = 1_000
const HOST = '[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?'
const PATH = "[A-Za-z0-9_~.][A-Za-z0-9_~.@%+/'()=,!-]*"
const HTTPS = new RegExp(`^https://(${HOST})(?::[0-9]{1,5})?/${PATH}$`)
const SSH = new RegExp(`^ssh://(?:[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}@)?${HOST}(?::[0-9]{1,5})?/${PATH}$`)
const SCP = new RegExp(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}@${HOST}:${PATH}$`)

/** Where a push goes: over the network, or into a folder of this machine. */
export type RemoteAddress =
  | { readonly kind: 'https'; readonly address: string; readonly host: string }
  | { readonly kind: 'ssh'; readonly address: string }
  | { readonly kind: 'folder'; readonly address: string }

/** Whether a text can be the name of a remote: no address, no path, no option. */
export function isRemoteName(text: string): boolean {
  return REMOTE_NAME.test(text) && !text.endsWith('.lock')
}

/** Reads an address; undefined for one with a password, another protocol or a strange character. */
export function findRemoteAddress(address: string): RemoteAddress | undefined {
  if (address.length > MAX_ADDRESS_CHARS) return undefined
  const host = HTTPS.exec(address)?.[1]
  if (host !== undefined) return { kind: 'https', address, host: host.toLowerCase() }
  if (SSH.test(address) || SCP.test(address)) return { kind: 'ssh', address }
  const isPlain = isAbsolute(address) && normalize(address) === address && !/\p{Cc}/u.test(address)
  return isPlain && !address.endsWith('/') ? { kind: 'folder', address } : undefined
}
