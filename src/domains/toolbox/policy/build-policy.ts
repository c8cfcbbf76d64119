import { join, relative } from 'node:path'
import { segmentsOf } from './config-names.ts'
import type { ProjectConfig } from './config-schema.ts'
import type { ProjectPolicy, Toolchain, ToolchainCommand } from './project-policy.ts'

/** Folders of a project that every service may read, whether the policy names them or not. */
const SHARED_FOLDERS = ['shared_contracts', 'shared', 'contracts'] as const

/** Names that are closed in every project: secrets, the repository's inner life, foreign code, and the policy. */
const BLOCKED_NAMES = ['.env', '.git/', 'secrets/', 'node_modules/', '.flow/'] as const

const MEGABYTE = 1024 * 1024

/** Makes the policy of a project out of what its file says; the built-in lists cannot be left out. */
export function buildPolicy(project_root: string, config: ProjectConfig, revision: string): ProjectPolicy {
  const shared = [...SHARED_FOLDERS, ...config.scope.shared_paths.map((path) => segmentsOf(path).join('/'))]
  return {
    isolation_level: config.scope.service_isolation,
    shared_roots: distinct(shared).map((path) => join(project_root, path)),
    block_patterns: distinct([...BLOCKED_NAMES, ...config.scope.block_patterns]),
    hard_link_stores: config.guard.hard_link_stores.map((path) => segmentsOf(path).join('/')),
    whitelisted_binaries: config.tools.whitelisted_binaries,
    redact_patterns: config.secrets.redact_patterns,
    sudo_binaries: config.sudo.binaries,
    system_services: config.system.services,
    calls_per_minute: config.rate_limits.calls_per_minute,
    disk_bytes: config.limits.disk_mb * MEGABYTE,
    disk_reserve_bytes: config.limits.disk_reserve_mb * MEGABYTE,
    git_remotes: config.git.remotes,
    allow_unsandboxed_git: config.git.allow_unsandboxed,
    redaction_exceptions: config.secrets.exceptions,
    knowledge_paths: config.knowledge.paths.map((path) => segmentsOf(path).join('/')),
    knowledge_embedder: config.knowledge.embedder,
    knowledge_store: config.knowledge.store,
    knowledge_connections: distinct(config.knowledge.connections),
    toolchainOf: toolchainsOf(project_root, config.toolchains),
    revision,
  }
}

/** A service's own commands come first; what it lacks, the entry for all services gives. */
function toolchainsOf(
  project_root: string,
  toolchains: ProjectConfig['toolchains'],
): ProjectPolicy['toolchainOf'] {
  const byService = new Map(
    Object.entries(toolchains).map(([key, value]) => [segmentsOf(key).join('/'), value]),
  )
  const common = byService.get('*')
  return (service_root): Toolchain => {
    const own = byService.get(relative(project_root, service_root) || '.')
    return { test: toCommand(own?.test ?? common?.test), lint: toCommand(own?.lint ?? common?.lint) }
  }
}

type ConfiguredCommand = NonNullable<ProjectConfig['toolchains'][string]['test']>

function toCommand(configured: ConfiguredCommand | undefined): ToolchainCommand | undefined {
  if (!configured) return undefined
  return { argv: configured.command, timeout_seconds: configured.timeout_seconds, env: configured.env }
}

function distinct(items: readonly string[]): string[] {
  return [...new Set(items)]
}
