import { ToolFault } from '../tool-fault.ts'

/** What `install_package` was asked for. */
export interface PackageRequest {
  readonly manager: string
  readonly package: string
  readonly version?: string | undefined
}

/** How a manager spells packages and versions, and the command that installs one without asking anything. */
interface Manager {
  readonly name: RegExp
  readonly version: RegExp
  readonly form: string
  command(name: string, version: string | undefined): string[]
  readonly env: Readonly<Record<string, string>>
}

/** Where cargo and npm put programs of the machine. */
const PREFIX = '/usr/local'

const SEMVER = /^\d{1,9}\.\d{1,9}\.\d{1,9}(-[0-9A-Za-z]+(\.[0-9A-Za-z]+){0,8})?$/

const MANAGERS: Readonly<Record<string, Manager>> = {
  apt: {
    // A trailing - removes a package and a trailing + is read as an order too.
    name: /^[a-z0-9][a-z0-9+.-]{0,126}[a-z0-9]$/,
    version: /^[0-9]([A-Za-z0-9.+~:-]{0,126}[A-Za-z0-9])?$/,
    form: 'lower-case letters, digits and inner "+", "-", "."',
    command: (name, version) => [
      'apt-get',
      'install',
      '-y',
      '--no-install-recommends',
      '-o',
      'Dpkg::Options::=--force-confold',
      // Else a name that is not known is taken for a pattern, and everything that fits is installed.
      '-o',
      'APT::Cmd::Pattern-Only=true',
      '--',
      version === undefined ? name : `${name}=${version}`,
    ],
    env: { DEBIAN_FRONTEND: 'noninteractive' },
  },
  cargo: {
    name: /^[A-Za-z][A-Za-z0-9_-]{0,62}[A-Za-z0-9]$|^[A-Za-z]$/,
    version: SEMVER,
    form: 'letters, digits, "_" and inner "-"',
    command: (name, version) => [
      'cargo',
      'install',
      '--locked',
      '--root',
      PREFIX,
      ...(version === undefined ? [] : ['--version', version]),
      '--',
      name,
    ],
    env: {},
  },
  'npm-g': {
    // A name with a slash is someone's repository, unless it is a scope's.
    name: /^(@[a-z0-9][a-z0-9._-]{0,99}\/)?[a-z0-9]([a-z0-9._-]{0,98}[a-z0-9])?$/,
    version: SEMVER,
    form: 'a name of the registry such as typescript or @scope/name',
    command: (name, version) => [
      'npm',
      'install',
      '-g',
      '--ignore-scripts',
      '--yes',
      '--no-audit',
      '--no-fund',
      '--prefix',
      PREFIX,
      '--',
      version === undefined ? name : `${name}@${version}`,
    ],
    env: {},
  },
}

/** Managers of a project's own dependencies. */
const PROJECT_MANAGERS = /^(npm|npx|yarn|pnpm|bun|pip3?|pipx|uv|poetry|conda|gem|bundler?|composer|go)$/i

/** The command that a request stands for; one that is not to be carried out is refused before anything runs. */
export function planInstall(request: PackageRequest): { argv: string[]; env: Manager['env'] } {
  const { manager, package: name, version } = request
  const first = manager.trim().split(/\s/, 1)[0] ?? ''
  const known = Object.hasOwn(MANAGERS, manager) ? MANAGERS[manager] : undefined
  if (!known) throw PROJECT_MANAGERS.test(first) ? projectDependency(request) : unknownManager()
  if (!known.name.test(name)) {
    throw invalid(`The package is not a name that ${manager} knows.`, `Use ${known.form}; no options.`)
  }
  if (version !== undefined && !known.version.test(version)) {
    throw invalid(
      `The version is not one of ${manager}.`,
      'Name one exact version such as 1.2.3, or leave it out.',
    )
  }
  return { argv: known.command(name, version), env: known.env }
}

function invalid(message: string, suggestion: string): ToolFault {
  return new ToolFault('ValidationError', message, suggestion)
}

function unknownManager(): ToolFault {
  return invalid('The manager is not known.', `Use one of ${Object.keys(MANAGERS).join(', ')}.`)
}

function projectDependency({ manager, package: name, version }: PackageRequest): ToolFault {
  return new ToolFault(
    'PolicyViolation',
    'Dependencies of a project are not installed with system tools.',
    'Use install_dependencies, which runs npm ci, poetry install or cargo with the lock file; ' +
      'for a program of the machine, use the manager apt, cargo or npm-g.',
    {
      violation: {
        violation_type: 'project_dependency',
        target_path: null,
        command_args: [manager, name, ...(version === undefined ? [] : [version])],
      },
    },
  )
}
