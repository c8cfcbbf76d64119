import type { CommandCall } from '../command-call.ts'
import { ensureDependencyFolder } from '../dependency-folder.ts'
import type { ProfileNeeds } from '../service-profile.ts'
import { checkCargoLock } from './check-cargo-lock.ts'
import { checkNpmLock } from './check-npm-lock.ts'
import { checkPoetryLock } from './check-poetry-lock.ts'

/** One package manager: its lockfile, and how it is started from it. */
export interface Manager {
  readonly program: string
  /** Must be there beside the lockfile. */
  readonly manifest: string
  /** The first that exists is the one that the manager takes. */
  readonly lockfiles: readonly string[]
  readonly checkLock: (file: string, bytes: Buffer, registry: string) => void
  readonly prepare: (call: CommandCall, registry: string) => { args: readonly string[]; needs: ProfileNeeds }
}

const npm: Manager = {
  program: 'npm',
  manifest: 'package.json',
  lockfiles: ['npm-shrinkwrap.json', 'package-lock.json'],
  checkLock: checkNpmLock,
  prepare: (_call, registry) => ({
    args: [
      'ci',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      `--registry=${registry}`,
      '--cache=/tmp/npm-cache',
      // Two different files that do not exist: npm reads no other configuration then.
      '--userconfig=/tmp/no-user-config',
      '--globalconfig=/tmp/no-global-config',
      '--script-shell=/bin/false',
      '--git=/bin/false',
    ],
    needs: {},
  }),
}

const poetry: Manager = {
  program: 'poetry',
  manifest: 'pyproject.toml',
  lockfiles: ['poetry.lock'],
  checkLock: checkPoetryLock,
  prepare: (call) => {
    const folder = ensureDependencyFolder(call, 'python')
    const { service_root } = call.context
    return {
      // Without the project itself, without plugins and without building: no code of the service runs.
      args: ['install', '--no-root', '--no-plugins', '--no-interaction', '--no-ansi'],
      needs: {
        service_access: 'read',
        mounts: [{ path: folder, access: 'write' }],
        masked: [`${service_root}/poetry.toml`, `${service_root}/.venv/`],
        env: {
          POETRY_VIRTUALENVS_CREATE: 'true',
          POETRY_VIRTUALENVS_IN_PROJECT: 'false',
          POETRY_VIRTUALENVS_PATH: folder,
          POETRY_INSTALLER_ONLY_BINARY: ':all:',
          POETRY_CACHE_DIR: '/tmp/poetry-cache',
          POETRY_CONFIG_DIR: '/tmp/poetry-config',
          POETRY_KEYRING_ENABLED: 'false',
        },
      },
    }
  },
}

const cargo: Manager = {
  program: 'cargo',
  manifest: 'Cargo.toml',
  lockfiles: ['Cargo.lock'],
  checkLock: checkCargoLock,
  prepare: (call) => {
    const folder = ensureDependencyFolder(call, 'cargo')
    return {
      args: ['fetch', '--locked', '--manifest-path', `${call.context.service_root}/Cargo.toml`],
      needs: {
        service_access: 'read',
        mounts: [{ path: folder, access: 'write' }],
        // Away from the service: cargo looks for `.cargo/config.toml` from its working folder upwards.
        cwd: folder,
        env: { CARGO_HOME: folder, CARGO_TERM_COLOR: 'never', CARGO_NET_GIT_FETCH_WITH_CLI: 'false' },
      },
    }
  },
}

export const MANAGERS: Readonly<Record<string, Manager>> = { npm, poetry, cargo }
