import { ToolFault } from '../../tool-fault.ts'
import { type ConfigEntry, ConfigUnreadable, parseGitConfig, renderGitConfig } from './config-text.ts'
import { readPlainly } from './read-plainly.ts'
import { isRemoteName } from './remote-address.ts'

/** Who a commit is by where the repository's own configuration names nobody. */
const FALLBACK_AUTHOR = { name: 'knowtation-agent', email: 'agent@localhost' } as const

/** What is taken over from a repository's own configuration; nothing else of it reaches git. */
export interface RepositorySettings {
  /** `core.*` and the object format, each with a value out of a fixed set. */
  readonly format: readonly { name: string; value: string }[]
  readonly author: { readonly name: string; readonly email: string }
  /** Addresses as they are written; they are judged where one is used. */
  readonly remotes: Readonly<Record<string, string>>
  /** The first key that is not known to be harmless where the configuration cannot be replaced. */
  readonly doubtful: string | undefined
}

const BOOLEAN = /^(?:true|false|yes|no|on|off|0|1)$/i
const KEPT: Readonly<Record<string, RegExp>> = {
  'core.repositoryformatversion': /^[01]$/,
  'core.filemode': BOOLEAN,
  'core.ignorecase': BOOLEAN,
  'core.symlinks': BOOLEAN,
  'core.precomposeunicode': BOOLEAN,
  'core.logallrefupdates': BOOLEAN,
  'core.trustctime': BOOLEAN,
  'core.autocrlf': /^(?:true|false|yes|no|on|off|0|1|input)$/i,
  'core.eol': /^(?:lf|crlf|native)$/i,
  'core.checkstat': /^(?:default|minimal)$/i,
  'extensions.objectformat': /^sha(?:1|256)$/,
}
/** Extensions that change nothing for the commands run here, or are kept above. */
const KNOWN_EXTENSIONS = new Set(['objectformat', 'noop', 'preciousobjects', 'worktreeconfig'])
const HARMLESS =
  /^(?:core\.bare|user\.(?:name|email)|remote\.[^.]*\.(?:url|fetch)|branch\..*\.(?:remote|merge|rebase)|init\..*)$/s
const MAX_VALUE_CHARS = 500
const MAX_REMOTES = 100

/** What git is told whatever the repository says. Switches off every key that starts a program. */
const FIXED: readonly { name: string; value: string }[] = [
  { name: 'core.bare', value: 'false' },
  { name: 'core.hooksPath', value: '/dev/null' },
  { name: 'core.fsmonitor', value: 'false' },
  { name: 'core.quotePath', value: 'false' },
  { name: 'commit.gpgSign', value: 'false' },
  { name: 'diff.ignoreSubmodules', value: 'all' },
  { name: 'submodule.recurse', value: 'false' },
  { name: 'gc.auto', value: '0' },
  { name: 'maintenance.auto', value: 'false' },
  { name: 'http.followRedirects', value: 'false' },
]

/** Sorts a repository's configuration; refuses a repository that cannot be served by these settings alone. */
export function readSettings(entries: readonly ConfigEntry[]): RepositorySettings {
  for (const entry of entries) checkSupported(entry)
  const last = new Map(entries.map(({ name, value }) => [name, value ?? 'true']))
  const format = Object.entries(KEPT).flatMap(([name, allowed]) => {
    const value = last.get(name)
    return value !== undefined && allowed.test(value) ? [{ name, value }] : []
  })
  return {
    format,
    author: {
      name: plainValue(last.get('user.name')) ?? FALLBACK_AUTHOR.name,
      email: plainValue(last.get('user.email')) ?? FALLBACK_AUTHOR.email,
    },
    remotes: remotesIn(last),
    doubtful: entries.find(({ name }) => KEPT[name] === undefined && !HARMLESS.test(name))?.name,
  }
}

function checkSupported({ name, value }: ConfigEntry): void {
  const isOn = value === undefined || /^(?:true|yes|on|1)$/i.test(value)
  if (name === 'core.bare' && isOn) throw notSupported('it is bare')
  if (name === 'core.worktree') throw notSupported('its configuration sets core.worktree')
  if (name === 'core.repositoryformatversion' && !/^[01]$/.test(value ?? '')) {
    throw notSupported('its format version is unknown')
  }
  const extension = /^extensions\.(.*)$/s.exec(name)?.[1]
  if (extension !== undefined && !KNOWN_EXTENSIONS.has(extension)) {
    throw notSupported(`it uses the extension ${JSON.stringify(extension.slice(0, 40))}`)
  }
}

function remotesIn(last: ReadonlyMap<string, string>): Record<string, string> {
  const found = [...last].flatMap(([full, value]) => {
    const name = /^remote\.(.*)\.url$/s.exec(full)?.[1]
    return name !== undefined && isRemoteName(name) ? [[name, value] as const] : []
  })
  return Object.fromEntries(found.slice(0, MAX_REMOTES))
}

function plainValue(value: string | undefined): string | undefined {
  const isPlain = value !== undefined && value.trim() !== '' && value.length <= MAX_VALUE_CHARS
  return isPlain && !/[\p{Cc}<>]/u.test(value) ? value : undefined
}

/** A repository that is refused for what it is. */
export function notSupported(why: string): ToolFault {
  return new ToolFault(
    'NotSupported',
    `The repository cannot be used by the git tools: ${why}.`,
    'Ask the owner for a plain, non-bare clone whose .git is a folder at the root of the project or service.',
  )
}

/** The configuration that git reads in the place of the repository's own. */
export function renderTrustedConfig(
  { author, format }: RepositorySettings,
  more: readonly { readonly name: string; readonly value: string }[] = [],
): string {
  return renderGitConfig([
    ...format,
    ...FIXED,
    { name: 'user.name', value: author.name },
    { name: 'user.email', value: author.email },
    ...more,
  ])
}

const MAX_CONFIG_BYTES = 256 * 1024

/** What a repository's configuration says that may be taken over. */
export function settingsOf(config_path: string): RepositorySettings {
  const bytes = readPlainly(config_path, MAX_CONFIG_BYTES)
  if (bytes === undefined) throw notSupported('.git/config is no plain file, or too large')
  return parseSettings(bytes.toString('utf8'))
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
