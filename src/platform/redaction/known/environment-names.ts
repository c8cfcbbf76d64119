/** Variables that say where and how a process runs; docs/redaction.md has the same list. */
export const PLAIN_NAMES: ReadonlySet<string> = new Set(
  (
    'PATH HOME PWD OLDPWD LANG LANGUAGE SHELL TERM TERM_PROGRAM TERM_PROGRAM_VERSION COLORTERM USER LOGNAME USERNAME HOSTNAME HOST ' +
    'TZ EDITOR VISUAL PAGER LESS LS_COLORS DISPLAY TMPDIR TMP TEMP SHLVL _ MAIL MANPATH INFOPATH LD_LIBRARY_PATH ' +
    'NODE_ENV NODE_PATH NODE_OPTIONS NODE_VERSION NVM_DIR NVM_BIN VIRTUAL_ENV PYTHONPATH GOPATH GOROOT JAVA_HOME CARGO_HOME ' +
    'RUSTUP_HOME INIT_CWD HOSTTYPE OSTYPE MACHTYPE CI DEBIAN_FRONTEND XDG_SESSION_TYPE VITEST VITEST_MODE SSH_TTY ' +
    'npm_command npm_execpath npm_node_execpath npm_config_cache npm_config_prefix npm_config_global_prefix ' +
    'npm_config_local_prefix npm_config_user_agent npm_config_userconfig npm_config_globalconfig npm_config_init_module ' +
    'npm_config_node_gyp npm_config_noproxy npm_config_npm_version npm_config_registry PNPM_HOME COREPACK_ROOT ' +
    'KNOWTATION_HOME KNOWTATION_TOOLCHAIN_PATH'
  ).split(' '),
)
export const PLAIN_PREFIXES: readonly string[] = [
  'LC_',
  'XDG_',
  'npm_package_',
  'npm_lifecycle_',
  'VSCODE_',
  'GIT_AUTHOR_',
  'GIT_COMMITTER_',
]

/** Whether a variable's value stays readable whatever it is. */
export function isPlainVariable(name: string): boolean {
  return PLAIN_NAMES.has(name) || PLAIN_PREFIXES.some((prefix) => name.startsWith(prefix))
}
