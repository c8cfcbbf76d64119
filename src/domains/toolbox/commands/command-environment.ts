import { existsSync } from 'node:fs'
import { delimiter } from 'node:path'
import { SANDBOX_HOME } from '../../../platform/sandbox/system-folders.ts'
import type { ProgramPlaces } from './program-places.ts'

const SYSTEM_CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'
const SYSTEM_RUSTUP = '/usr/local/rustup'

/** The whole environment of a command, made from nothing: no variable of the hub gets in. */
export function commandEnvironment(
  places: ProgramPlaces,
  own_folders: readonly string[],
  given: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    LANG: 'C.UTF-8',
    CI: '1',
    NO_COLOR: '1',
    XDG_CACHE_HOME: '/tmp/cache',
    npm_config_cache: '/tmp/npm-cache',
    npm_config_update_notifier: 'false',
    GOCACHE: '/tmp/go-cache',
    GOFLAGS: '-buildvcs=false',
    ...(existsSync(SYSTEM_RUSTUP) ? { RUSTUP_HOME: SYSTEM_RUSTUP } : {}),
    ...given,
    // After what is configured: these three are what keeps a command in its place.
    PATH: [...places.folders, ...own_folders].join(delimiter),
    HOME: SANDBOX_HOME,
    TMPDIR: '/tmp',
  }
}

/** What programs that fetch something need beside: the machine's own list of authorities. */
export function networkEnvironment(): Record<string, string> {
  if (!existsSync(SYSTEM_CERTIFICATES)) return {}
  return { NODE_EXTRA_CA_CERTS: SYSTEM_CERTIFICATES, SSL_CERT_FILE: SYSTEM_CERTIFICATES }
}
