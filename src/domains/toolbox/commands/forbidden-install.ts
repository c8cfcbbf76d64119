import { basename } from 'node:path'

const NPM_VERBS = [
  'install',
  'add',
  'i',
  'in',
  'ins',
  'inst',
  'insta',
  'instal',
  'isnt',
  'isnta',
  'isntal',
  'isntall',
]
const NPM_OTHERS = ['install-test', 'it', 'update', 'up', 'upgrade', 'udpate', 'link', 'ln']

// What each package manager calls bringing in packages past the lockfile.
const VERBS: Readonly<Record<string, readonly string[]>> = {
  npm: [...NPM_VERBS, ...NPM_OTHERS],
  pnpm: [...NPM_VERBS, ...NPM_OTHERS, 'dlx'],
  yarn: ['install', 'add', 'up', 'upgrade', 'link', 'dlx'],
  bun: ['install', 'i', 'add', 'update', 'link'],
  pip: ['install', 'download', 'wheel'],
  pipx: ['install', 'run'],
  uv: ['add', 'install', 'sync'],
  conda: ['install', 'create', 'update'],
  poetry: ['add', 'update'],
  cargo: ['install', 'add', 'update'],
  gem: ['install', 'update'],
  go: ['install', 'get'],
}
// The same inside a text that some shell or script runner would read.
const IN_TEXT =
  /(?:^|[\s;&|("'`/])(?:(?:npm|pnpm|yarn|bun)\s+(?:-\S+\s+)*(?:install|i|add)|pip[0-9.]*\s+(?:-\S+\s+)*install)(?=$|[\s;&|)"'`])/

/** The forbidden installation that a command amounts to, in words, or nothing. */
export function findForbiddenInstall(argv: readonly string[]): string | undefined {
  for (const [index, arg] of argv.entries()) {
    const found = installAt(argv, index) ?? (/\s/.test(arg) ? findInstallInText(arg) : undefined)
    if (found !== undefined) return found
  }
  return undefined
}

/** The forbidden installation in a line of script, or nothing. */
export function findInstallInText(text: string): string | undefined {
  return IN_TEXT.exec(text)?.[0].trim()
}

// Any argument may be the program of a wrapper's command: `env npm install`, `timeout 5 pip install x`.
function installAt(argv: readonly string[], index: number): string | undefined {
  const manager = managerName(basename(argv[index] ?? ''))
  const verbs = (Object.hasOwn(VERBS, manager) && VERBS[manager]) || []
  const rest = argv.slice(index + 1)
  const end = rest.indexOf('--')
  const own = end < 0 ? rest : rest.slice(0, end)
  const verb = own.find((arg) => !arg.startsWith('-'))
  // An option before the verb may have a value that looks like a verb, so all words count then.
  const words = own[0]?.startsWith('-') ? own : verb === undefined ? [] : [verb]
  const found = words.find((word) => verbs.includes(word))
  if (found !== undefined) return `${manager} ${found}`
  return manager === 'yarn' && verb === undefined ? 'yarn' : undefined
}

function managerName(program: string): string {
  if (/^pip[0-9.]*$/.test(program)) return 'pip'
  return program.replace(/\.(?:cmd|exe|js|cjs)$/, '').replace(/^npm-cli$/, 'npm')
}
