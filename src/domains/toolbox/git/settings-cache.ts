import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { ToolFault } from '../tool-fault.ts'
import { ConfigUnreadable, parseGitConfig } from './config-text.ts'
import { notSupported, type RepositorySettings, readSettings } from './trusted-config.ts'

const MAX_CONFIG_BYTES = 256 * 1024
const MAX_REMEMBERED = 100
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

const remembered = new Map<string, { identity: string; settings: RepositorySettings }>()

/** What a repository's configuration says that may be taken over; read again only when the file has changed. */
export function settingsOf(config_path: string): RepositorySettings {
  const known = remembered.get(config_path)
  if (known !== undefined && known.identity === identityOf(lstatSync(config_path, { bigint: true }))) {
    return known.settings
  }
  const { text, identity } = readConfig(config_path)
  const settings = parseSettings(text)
  remembered.delete(config_path)
  remembered.set(config_path, { identity, settings })
  for (const oldest of remembered.keys()) {
    if (remembered.size <= MAX_REMEMBERED) break
    remembered.delete(oldest)
  }
  return settings
}

function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':')
}

function readConfig(path: string): { text: string; identity: string } {
  const file = openSync(path, OPEN_FLAGS)
  try {
    const stats = fstatSync(file, { bigint: true })
    if (!stats.isFile() || stats.size > MAX_CONFIG_BYTES) throw notSupported('.git/config is no plain file')
    const bytes = Buffer.alloc(MAX_CONFIG_BYTES + 1)
    const size = readSync(file, bytes, 0, bytes.length, 0)
    if (size > MAX_CONFIG_BYTES) throw notSupported('.git/config is too large')
    return { text: bytes.toString('utf8', 0, size), identity: identityOf(stats) }
  } finally {
    closeSync(file)
  }
}

function parseSettings(text: string): RepositorySettings {
  try {
    return readSettings(parseGitConfig(text))
  } catch (error) {
    if (!(error instanceof ConfigUnreadable)) throw error
    throw new ToolFault(
      'ConfigDamaged',
      `.git/config cannot be read: line ${error.line} is not git configuration.`,
      'Ask the owner to repair .git/config.',
      { cause: error },
    )
  }
}
