import { existsSync } from 'node:fs'
import { SandboxUnavailable } from '../../../../platform/sandbox/sandbox.ts'
import type { Repository } from '../repository/repository.ts'

const GIT_PLACES = ['/usr/bin/git', '/usr/local/bin/git', '/opt/homebrew/bin/git'] as const
const SSH = '/usr/bin/ssh -F /dev/null -oBatchMode=yes -oStrictHostKeyChecking=yes -oClearAllForwardings=yes'

/** The git program, from fixed places only. */
export function requireGit(): string {
  const found = GIT_PLACES.find((place) => existsSync(place))
  if (found === undefined) throw new SandboxUnavailable(`git is not installed in ${GIT_PLACES.join(', ')}`)
  return found
}

/** Settings that bind even where a configuration says otherwise: the second layer behind the replaced one. */
export const FIXED_OPTIONS: readonly string[] = [
  '--no-pager',
  ...[
    'core.fsmonitor=false',
    'core.hooksPath=/dev/null',
    'core.quotePath=false',
    'core.attributesFile=/dev/null',
    'core.editor=/bin/false',
    'diff.external=',
    'diff.ignoreSubmodules=all',
    'status.submoduleSummary=false',
    'credential.helper=',
    'commit.gpgSign=false',
    'push.gpgSign=false',
    'protocol.ext.allow=never',
    'safe.bareRepository=explicit',
    'submodule.recurse=false',
    'gc.auto=0',
    'maintenance.auto=false',
    'color.ui=never',
    // It advises to force what no tool can.
    'advice.addIgnoredFile=false',
  ].flatMap((setting) => ['-c', setting]),
]

/** Options of every diff: it starts no program and colours nothing. */
export const SAFE_DIFF: readonly string[] = ['diff', '--no-ext-diff', '--no-textconv', '--no-color']

/** The whole environment of git; nothing of the hub's own is in it. */
export function gitEnvironment(repository: Repository, more: Record<string, string>): Record<string, string> {
  return {
    PATH: '/usr/bin:/bin',
    HOME: '/nonexistent',
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    GIT_DIR: repository.git_dir,
    GIT_WORK_TREE: repository.work_tree,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ASKPASS: '/bin/false',
    SSH_ASKPASS: '/bin/false',
    GIT_SSH_COMMAND: SSH,
    GIT_EDITOR: '/bin/false',
    GIT_PAGER: 'cat',
    ...more,
  }
}
