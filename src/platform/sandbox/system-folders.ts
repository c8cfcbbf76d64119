import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { procMasks } from './proc-masks.ts'
import { HOME_BYTES, SHM_BYTES, TMP_BYTES } from './sandbox-limits.ts'
import type { GivenDescriptors } from './start/given-descriptors.ts'

/** The private home folder of every sandboxed command. */
export const SANDBOX_HOME = '/sandbox/home'

const SYSTEM_LINKS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

// What programs need to start and to tell the time; nothing of it is a secret.
const ETC = [
  '/etc/alternatives',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/localtime',
  '/etc/mime.types',
  '/etc/nsswitch.conf',
  '/etc/protocols',
  '/etc/services',
  '/etc/timezone',
]
// Public certificates only: `/etc/ssl/private` and the like stay out.
const ETC_NETWORK = [
  '/etc/ca-certificates.conf',
  '/etc/hosts',
  '/etc/pki/ca-trust',
  '/etc/pki/tls/certs',
  '/etc/resolv.conf',
  '/etc/ssl/cert.pem',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
]

/** A small file that the sandbox makes up instead of showing the host's. */
export interface MadeUpFile {
  readonly at: string
  readonly content: string
}

/** The user list that a command sees: itself and nobody. */
export function madeUpFiles(uid: number, gid: number, network: boolean): MadeUpFile[] {
  const passwd = `sandbox:x:${uid}:${gid}:sandbox:${SANDBOX_HOME}:/bin/sh\n${nobody('nobody', uid, 65534)}`
  const files = [
    { at: '/etc/passwd', content: passwd },
    { at: '/etc/group', content: `sandbox:x:${gid}:\n` },
  ]
  if (!network) files.push({ at: '/etc/hosts', content: '127.0.0.1 localhost\n::1 localhost\n' })
  return files
}

function nobody(name: string, uid: number, id: number): string {
  return uid === id ? '' : `${name}:x:${id}:${id}:${name}:/nonexistent:/usr/sbin/nologin\n`
}

/** The arguments for the part of the sandbox that all profiles share. */
export function systemArguments(
  { network, has_size }: { network: boolean; has_size: boolean },
  given: GivenDescriptors,
): string[] {
  const args = shown('/usr', given)
  for (const path of SYSTEM_LINKS) args.push(...systemLink(path, given))
  for (const path of [...ETC, ...(network ? ETC_NETWORK : []), '/nix/store']) {
    if (existsSync(path)) args.push(...shown(path, given))
  }
  // Read-only as a whole: to the host's root user, without any capability, /proc/sys is open for writing.
  args.push('--proc', '/proc', ...procMasks(), '--remount-ro', '/proc', '--dev', '/dev')
  args.push(...smallRoom('/dev/shm', SHM_BYTES, has_size), '--remount-ro', '/dev')
  args.push(...smallRoom('/tmp', TMP_BYTES, has_size), ...smallRoom(SANDBOX_HOME, HOME_BYTES, has_size))
  return args
}

/** What such a program opens of the devices: git takes names of temporary files from the second. */
const BARE_DEVICES = ['/dev/null', '/dev/urandom']

/** The same for a program that needs nothing of the system but its libraries. */
export function bareArguments(given: GivenDescriptors): string[] {
  const libraries = [...shown('/usr', given), ...SYSTEM_LINKS.flatMap((path) => systemLink(path, given))]
  for (const path of ['/etc/ld.so.cache', '/nix/store'])
    if (existsSync(path)) libraries.push(...shown(path, given))
  return [...libraries, ...BARE_DEVICES.flatMap((path) => ['--dev-bind', path, path])]
}

function shown(path: string, given: GivenDescriptors): string[] {
  return ['--ro-bind-fd', String(given.addSystem(path)), path]
}

function systemLink(path: string, given: GivenDescriptors): string[] {
  if (!existsSync(path)) return []
  return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : shown(path, given)
}

function smallRoom(path: string, bytes: number, has_size: boolean): string[] {
  return [...(has_size ? ['--size', String(bytes)] : []), '--perms', '1777', '--tmpfs', path]
}
