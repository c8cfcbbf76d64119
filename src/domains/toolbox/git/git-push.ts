import { z } from 'zod'
import type { CommandOutcome } from '../../../platform/sandbox/sandbox.ts'
import type { ToolCall, ToolDeclaration } from '../tool.ts'
import { ToolFault } from '../tool-fault.ts'
import { checkBranchName } from './branch-name.ts'
import { hasBranch } from './git-checkout.ts'
import { findCredential, type PushCredential } from './repository/push-credential.ts'
import { type PushTarget, requirePushTarget } from './repository/push-target.ts'
import { openRepository, type Repository } from './repository/repository.ts'
import { renderTrustedConfig } from './repository/trusted-config.ts'
import { lendConfig } from './repository/trusted-file.ts'
import { useRepository } from './repository/use-repository.ts'
import { requireSuccess } from './run/git-outcome.ts'
import { runGit } from './run/git-run.ts'

const TIMEOUT_MS = 300_000
const PUSH =
  'push --porcelain --no-progress --no-verify --no-signed --no-follow-tags --recurse-submodules=no'.split(' ')
const REF_LINE = /^([ *=!+-])\t/m
const RESULTS: Readonly<Record<string, 'updated' | 'created' | 'up_to_date'>> = {
  ' ': 'updated',
  '*': 'created',
  '=': 'up_to_date',
}

const Input = z.strictObject({
  remote: z.string().max(1_000).describe('The name of a configured remote, such as origin'),
  branch: z.string().max(1_000).describe('A local branch; it is pushed to the branch of the same name'),
  confirm: z.boolean().default(false).describe('Only true really pushes; otherwise it is a dry run'),
})
const Output = z.strictObject({
  stdout: z.string(),
  stderr: z.string(),
  remote: z.string(),
  branch: z.string(),
  dry_run: z.boolean(),
  result: z.enum(['updated', 'created', 'up_to_date']).nullable(),
})
type Call = ToolCall<z.output<typeof Input>>

/** Pushes a branch to a remote that the owner has configured. */
export const gitPush: ToolDeclaration<typeof Input, z.output<typeof Output>> = {
  name: 'git_push',
  description:
    'Pushes one branch to the branch of the same name at a configured remote, as a dry run unless ' +
    'confirm:true is given. Never forces, takes no address and no refspec. Remotes are https addresses, and ' +
    'bare repositories on this machine outside the project; ssh is not supported.',
  effect: 'update',
  open_world: true,
  idempotent: true,
  roles: ['release_manager'],
  required_role: 'release_manager',
  critical: true,
  input: Input,
  output: Output,
  check(call) {
    checkBranchName(call.input.branch)
    requirePushTarget(call, openRepository(call, 'git_push'), call.input.remote)
  },
  handle(call) {
    checkBranchName(call.input.branch)
    return useRepository(call, 'git_push', (repository) =>
      push(call, repository, requirePushTarget(call, repository, call.input.remote)),
    )
  },
}

async function push(
  call: Call,
  repository: Repository,
  target: PushTarget,
): Promise<z.output<typeof Output>> {
  const { branch, confirm } = call.input
  if (!(await hasBranch(call, repository, branch))) {
    throw new ToolFault('CommandFailed', `There is no branch ${branch}.`, 'Check the name with git_status.')
  }
  // A remote that only the repository names could have been put there by anyone who can write it.
  const credential = target.is_in_policy ? findCredential(call.hub.home.folder, target.remote) : undefined
  const config = pushConfig(repository, target, credential)
  const outcome = await lendConfig(call.hub, config, (path) => runPush(call, repository, target, path))
  const { stdout, stderr } = requireSuccess(
    withoutSecrets(outcome, credential),
    'git push',
    'Where the remote has commits that are missing here, ask the owner to bring them in; nothing is forced.',
  )
  const result = RESULTS[REF_LINE.exec(stdout)?.[1] ?? ''] ?? null
  return { stdout, stderr, remote: target.name, branch, dry_run: !confirm, result }
}

/** The configuration of one push: one remote, and the credential of its host if there is one. */
export function pushConfig(
  { settings }: Pick<Repository, 'settings'>,
  { name, remote }: PushTarget,
  credential: PushCredential | undefined,
): string {
  const more = credential ? [credential.setting] : []
  return renderTrustedConfig(settings, [{ name: `remote.${name}.url`, value: remote.address }, ...more])
}

function runPush(call: Call, repository: Repository, { name, remote }: PushTarget, config_path: string) {
  const { branch, confirm } = call.input
  const isFolder = remote.kind === 'folder'
  return runGit(call, repository, {
    args: [
      ...PUSH,
      ...(confirm ? [] : ['--dry-run']),
      '--',
      name,
      `refs/heads/${branch}:refs/heads/${branch}`,
    ],
    writes: 'nothing',
    config_path,
    env: { GIT_ALLOW_PROTOCOL: isFolder ? 'file' : remote.kind },
    network: !isFolder,
    mounts: isFolder ? [{ path: remote.address, access: confirm ? 'write' : 'read' }] : [],
    timeout_ms: TIMEOUT_MS,
  })
}

function withoutSecrets(outcome: CommandOutcome, credential: PushCredential | undefined): CommandOutcome {
  const clean = (text: string) =>
    (credential?.secrets ?? []).reduce((rest, secret) => rest.replaceAll(secret, '[REDACTED]'), text)
  return { ...outcome, stdout: clean(outcome.stdout), stderr: clean(outcome.stderr) }
}
