import { join } from 'node:path'
import type { CommandCall } from '../command-call.ts'
import { ensureDependencyFolder } from '../dependency-folder.ts'
import type { ProfileNeeds } from '../service-profile.ts'
import { checkCargoLock } from './check-cargo-lock.ts'
import { checkCargoManifests } from './check-cargo-manifests.ts'
import { checkNpmLock } from './check-npm-lock.ts'
import { checkNpmManifests } from './check-npm-manifests.ts'
import { checkPoetryLock } from './check-poetry-lock.ts'
import { checkPoetryManifest } from './check-poetry-manifest.ts'
import type { Lent, LentFile } from './lent-files.ts'
import type { ManifestReader } from './read-manifests.ts'

/** One package manager: its lockfile, and how it is started from it. */
export interface Manager {
  readonly program: string
  /** The first that exists is the one that the manager takes. */
  readonly lockfiles: readonly string[]
  /** Answers what the manager is to see of the lockfile. */
  readonly checkLock: (file: string, bytes: Buffer, registry: string) => Buffer
  /** Answers what the manager is to see of the manifests that it reads. */
  readonly checkManifests: (reader: ManifestReader, lock_file: string, lock: Buffer) => LentFile[]
  /** The commands that make up an installation, one after the other. */
  readonly prepare: (call: CommandCall, lent: Lent, files: readonly LentFile[], registry: string) => Step[]
}

/** One command of an installation. Whatever has the network sees nothing of the service but what was lent. */
export interface Step {
  readonly args: readonly string[]
  readonly needs: ProfileNeeds
}

const NPM_CI = [
  'ci',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  // Two different files that do not exist: npm reads no other configuration then.
  '--userconfig=/tmp/no-user-config',
  '--globalconfig=/tmp/no-global-config',
  '--script-shell=/bin/false',
  '--git=/bin/false',
  // What a package of the registry says of others is not checked beforehand.
  '--allow-git=none',
  '--allow-remote=none',
]

const npm: Manager = {
  program: 'npm',
  lockfiles: ['npm-shrinkwrap.json', 'package-lock.json'],
  checkLock: checkNpmLock,
  checkManifests: checkNpmManifests,
  prepare: ({ context }, { content, cache }, files, registry) => {
    const args = [...NPM_CI, `--registry=${registry}`, `--cache=${cache}`]
    const mounts = [{ path: cache, access: 'write' as const }]
    const overlays = files.map(({ at }) => ({
      content_path: join(content, at),
      at: join(context.service_root, at),
    }))
    // npm would take addresses from it where its own lockfile has none.
    const masked = [join(context.service_root, 'yarn.lock')]
    return [
      // Programs are linked to where they are.
      { args: [...args, '--no-bin-links'], needs: { network: true, service_content: content, mounts } },
      // Only this reaches the service. The agent can replace a lent file here, and it would lead nowhere.
      { args: [...args, '--offline'], needs: { mounts, overlays, masked } },
    ]
  },
}

const poetry: Manager = {
  program: 'poetry',
  lockfiles: ['poetry.lock'],
  checkLock: checkPoetryLock,
  checkManifests: checkPoetryManifest,
  prepare: (call, { content }) => {
    const folder = ensureDependencyFolder(call, 'python')
    return [
      {
        // Without the project itself, without plugins and without building: no code of the service runs.
        args: ['install', '--no-root', '--no-plugins', '--no-interaction', '--no-ansi'],
        needs: {
          network: true,
          service_content: content,
          service_access: 'read',
          mounts: [{ path: folder, access: 'write' }],
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
      },
    ]
  },
}

const cargo: Manager = {
  program: 'cargo',
  lockfiles: ['Cargo.lock'],
  checkLock: checkCargoLock,
  checkManifests: checkCargoManifests,
  prepare: (call, { content }) => {
    const folder = ensureDependencyFolder(call, 'cargo')
    return [
      {
        args: ['fetch', '--locked', '--manifest-path', `${call.context.service_root}/Cargo.toml`],
        needs: {
          network: true,
          service_content: content,
          service_access: 'read',
          mounts: [{ path: folder, access: 'write' }],
          // Away from the service: cargo looks for `.cargo/config.toml` from its working folder upwards.
          cwd: folder,
          env: { CARGO_HOME: folder, CARGO_TERM_COLOR: 'never', CARGO_NET_GIT_FETCH_WITH_CLI: 'false' },
        },
      },
    ]
  },
}

export const MANAGERS: Readonly<Record<string, Manager>> = { npm, poetry, cargo }
