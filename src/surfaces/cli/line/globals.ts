import { UsageError } from '../cli-errors.ts'
import type { Command, Flag, Globals } from '../command.ts'

/** Flags that every command takes, anywhere on the line. */
export const GLOBAL_FLAGS: readonly Flag[] = [
  { name: 'json', description: 'Print JSON; where there is a REST route, exactly what it answers' },
  { name: 'home', value: 'DIR', description: 'The local home (else KNOWTATION_HOME, else ~/.knowtation)' },
  { name: 'url', value: 'URL', description: 'Ask a running hub there instead (else KNOWTATION_URL)' },
  { name: 'token', value: 'TOKEN', description: 'The credential for --url (else KNOWTATION_TOKEN)' },
  { name: 'vault', value: 'ID', description: 'The vault to work in (default: default)' },
  { name: 'in-browser', description: 'Where something is opened, confirm it in the browser' },
  { name: 'password-stdin', description: 'Where something is opened, read the password from stdin' },
  { name: 'help', aliases: ['h'], description: 'Show what a command does and takes' },
]

/** Reads the flags that are common to all commands. A flag that is typed wins over the environment. */
export function readGlobals(
  flags: ReadonlyMap<string, readonly string[]>,
  command: Command,
  env: NodeJS.ProcessEnv,
): Globals {
  const find = (name: string) => flags.get(name)?.at(-1)
  const home = find('home')
  const typedUrl = find('url')
  const url = typedUrl ?? (home === undefined ? env.KNOWTATION_URL || undefined : undefined)
  if (command.reach === 'hub') checkReach(home, typedUrl, find('token'), url)
  if (command.reach === 'home' && typedUrl !== undefined) {
    throw new UsageError(
      `\`knowtation ${command.words.join(' ')}\` works on a local home, not through --url.`,
      'Leave out --url; choose the home with --home DIR.',
    )
  }
  return {
    json: find('json') === 'true',
    home,
    url: command.reach === 'hub' ? url : typedUrl,
    token: find('token') ?? (env.KNOWTATION_TOKEN || undefined),
    vault: find('vault'),
    proof:
      find('password-stdin') === 'true' ? 'stdin' : find('in-browser') === 'true' ? 'browser' : undefined,
  }
}

function checkReach(
  home: string | undefined,
  typedUrl: string | undefined,
  typedToken: string | undefined,
  url: string | undefined,
): void {
  if (home !== undefined && typedUrl !== undefined) {
    throw new UsageError(
      '--home and --url exclude each other.',
      'Use --url for a running hub, --home for files.',
    )
  }
  if (typedToken !== undefined && url === undefined) {
    throw new UsageError(
      '--token is for a running hub.',
      'Add --url URL, or leave out --token to use the home.',
    )
  }
}
