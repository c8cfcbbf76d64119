import { join } from 'node:path'
import pino from 'pino'
import { describe, expect, test } from 'vitest'
import { defineTool } from '../../src/domains/toolbox/define-tool.ts'
import { gitAdd } from '../../src/domains/toolbox/git/git-add.ts'
import { gitCheckout } from '../../src/domains/toolbox/git/git-checkout.ts'
import { gitCommit } from '../../src/domains/toolbox/git/git-commit.ts'
import { gitDiff } from '../../src/domains/toolbox/git/git-diff.ts'
import { type GitProject, makeShop, runGit } from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { gitPush } from '../../src/domains/toolbox/git/git-push.ts'
import { gitStatus } from '../../src/domains/toolbox/git/git-status.ts'
import { violationList } from '../../src/domains/toolbox/watch/violation-list.ts'
import type { Operation } from '../../src/operations/define-operation.ts'
import { type Hub, openHub } from '../../src/operations/hub.ts'
import { runOperation } from '../../src/operations/run-operation.ts'
import { homeAt } from '../../src/platform/basics/home.ts'
import { realSystem } from '../../src/platform/basics/system.ts'
import { localCaller, toolboxCaller } from '../../src/platform/identity/caller.ts'
import { fakeProviderTokens } from '../../src/platform/redaction/fixtures/fake-secrets.ts'
import { verifies } from '../requirements/verifies.ts'

const TOOLS = {
  git_status: defineTool(gitStatus),
  git_diff: defineTool(gitDiff),
  git_add: defineTool(gitAdd),
  git_commit: defineTool(gitCommit),
  git_checkout: defineTool(gitCheckout),
  git_push: defineTool(gitPush),
}

interface Result {
  status: string
  data?: Record<string, unknown>
  error?: { code: string; message: string; details?: Record<string, string> }
}

interface Engine extends AsyncDisposable {
  readonly project: GitProject
  readonly bare: string
  call(role: string, tool: keyof typeof TOOLS, input?: object): Promise<Result>
  events(): Promise<{ violation_type: string; command_args: string[]; severity: string }[]>
}

/** A shop with a remote, and a hub through which agents of any role call the tools. */
async function startEngine(): Promise<Engine> {
  const project = makeShop()
  const bare = join(project.base, 'bare.git')
  runGit(project.base, ['init', '--quiet', '--bare', 'bare.git'])
  project.write('.flow/config.json', JSON.stringify({ git: { remotes: { origin: bare } } }))
  const home = homeAt(join(project.base, 'engine'), {})
  const hub = await openHub({ home, env: {}, system: realSystem, log: pino({ level: 'silent' }) })
  return {
    project,
    bare,
    async call(role, tool, input = {}) {
      const { root: project_root, service_root } = project
      const seat = { project_root, service_root, role, agent_id: `agent-${role}` }
      return ask(hub, TOOLS[tool], toolboxCaller('seat', 'default', seat, 'test'), input)
    },
    async events() {
      const answer = await ask(hub, violationList, localCaller('knowtation'), {})
      return (answer as unknown as { violations: Awaited<ReturnType<Engine['events']>> }).violations
    },
    async [Symbol.asyncDispose]() {
      await hub.close()
      await project[Symbol.asyncDispose]()
    },
  }
}

async function ask(
  hub: Hub,
  operation: Operation,
  caller: Parameters<typeof runOperation>[1]['caller'],
  input: object,
) {
  const call = { operation, surface: 'cli' as const, caller, address: 'test', vault: undefined, input }
  return JSON.parse((await runOperation(hub, call)).text) as Result
}

describe('the git tools as operations', () => {
  verifies(
    ['TOOL-024', 'TOOL-026', 'TOOL-027', 'TOOL-088', 'TOOL-097'],
    'let the release manager alone push',
    async () => {
      await using engine = await startEngine()
      const input = { remote: 'origin', branch: 'main', confirm: true }
      for (const role of ['dev', 'sre', 'product_owner', 'ghost']) {
        expect((await engine.call(role, 'git_push', input)).error?.code, role).toBe('PermissionDenied')
      }
      const dry = await engine.call('release_manager', 'git_push', { remote: 'origin', branch: 'main' })
      expect(dry).toMatchObject({ status: 'success', data: { dry_run: true } })
      expect(runGit(engine.bare, ['for-each-ref'])).toBe('')
      const real = await engine.call('release_manager', 'git_push', input)
      expect(real).toMatchObject({ status: 'success', data: { dry_run: false, result: 'created' } })
      expect(runGit(engine.bare, ['for-each-ref', '--format=%(refname)'])).toBe('refs/heads/main\n')
    },
  )

  verifies('TOOL-032', 'put every push on record, also one that succeeds', async () => {
    await using engine = await startEngine()
    await engine.call('release_manager', 'git_push', { remote: 'origin', branch: 'main' })
    const events = await engine.events()
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({ violation_type: 'critical_action', severity: 'CRITICAL' })
    expect(events[0]?.command_args).toEqual(['git_push', 'remote=origin', 'branch=main', 'confirm=false'])
  })

  verifies(['TOOL-028', 'TOOL-029'], 'are closed to the product owner', async () => {
    await using engine = await startEngine()
    const before = engine.project.fingerprint()
    const calls = {
      git_status: {},
      git_diff: {},
      git_add: { files: ['a.txt'] },
      git_commit: { message: 'x' },
      git_checkout: { branch: 'x', create_if_missing: true },
    }
    for (const [tool, input] of Object.entries(calls)) {
      const answer = await engine.call('product_owner', tool as keyof typeof TOOLS, input)
      expect(answer.error?.code, tool).toBe('PermissionDenied')
    }
    expect(engine.project.fingerprint()).toBe(before)
  })

  verifies(
    ['TOOL-084', 'TOOL-085', 'TOOL-086', 'TOOL-087', 'TOOL-089'],
    'carry a change from file to branch',
    async () => {
      await using engine = await startEngine()
      const { project } = engine
      project.put('a.txt', 'changed\n')
      expect((await engine.call('dev', 'git_status')).data).toMatchObject({ unstaged: ['a.txt'] })
      expect(
        (await engine.call('dev', 'git_checkout', { branch: 'topic', create_if_missing: true })).status,
      ).toBe('success')
      expect((await engine.call('dev', 'git_add', { files: ['a.txt'] })).data).toMatchObject({
        added: ['a.txt'],
      })
      expect((await engine.call('dev', 'git_diff', { staged: true })).data?.stdout).toContain('+changed')
      const { data } = await engine.call('dev', 'git_commit', { message: 'Change a' })
      expect(data?.commit).toBe(project.git('rev-parse', 'topic').trim())
      expect((await engine.call('dev', 'git_status', { x: 1 })).error?.code).toBe('ValidationError')
    },
  )

  verifies('TOOL-101', 'redact what a failed command said', async () => {
    await using engine = await startEngine()
    const token = fakeProviderTokens().github_token as string
    engine.project.git('branch', token)
    engine.project.git('switch', '--quiet', token)
    engine.project.put(`${token}.txt`, 'one\n')
    engine.project.git('add', 'services')
    engine.project.git('commit', '--quiet', '--message', 'x')
    engine.project.git('switch', '--quiet', 'main')
    engine.project.put(`${token}.txt`, 'in the way\n')
    const { status, error } = await engine.call('dev', 'git_checkout', { branch: token })
    expect(status).toBe('error')
    expect(error?.code).toBe('CommandFailed')
    expect(error?.details?.stderr).toContain('would be overwritten')
    expect(JSON.stringify(error)).not.toContain(token)
  })

  test('report a path outside the service to the security stream', async () => {
    await using engine = await startEngine()
    const answer = await engine.call('dev', 'git_add', { files: ['../other/c.txt'] })
    expect(answer.error?.code).toBe('SecurityError')
    expect(await engine.events()).toMatchObject([
      { violation_type: 'scope_outside', target_path: '../other/c.txt' },
    ])
  })
})
