import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type GitProject,
  makeShop,
  realSandbox,
  runGit,
  writeAt,
} from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { gitPush } from '../../src/domains/toolbox/git/git-push.ts'
import type { Sandbox } from '../../src/platform/sandbox/sandbox.ts'
import { verifies } from '../requirements/verifies.ts'

interface Remote {
  readonly project: GitProject
  readonly bare: string
  readonly changes: { config: object }
}

/** A project and a bare repository outside it that the policy names as `origin`. */
function makeRemote(): Remote {
  const project = makeShop()
  const bare = join(project.base, 'bare.git')
  runGit(project.base, ['init', '--quiet', '--bare', '--initial-branch=main', 'bare.git'])
  return { project, bare, changes: { config: { git: { remotes: { origin: bare } } } } }
}

function refsOf(bare: string): string {
  return runGit(bare, ['for-each-ref', '--format=%(refname) %(objectname)'])
}

function writeHook(bare: string, name: string, lines: string): void {
  writeAt(join(bare, 'hooks', name), `#!/bin/sh\n${lines}\n`)
  chmodSync(join(bare, 'hooks', name), 0o755)
}

/** Whether any process of this machine was started with an argument. */
function isRunning(argument: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(argument)
    } catch {
      return false
    }
  })
}

describe('git_push', () => {
  verifies('TOOL-097', 'is a dry run unless it is confirmed', async () => {
    const { project, bare, changes } = makeRemote()
    await using _ = project
    const input = { remote: 'origin', branch: 'main' }
    for (const more of [{}, { confirm: false }]) {
      const answer = await project.call(gitPush, { ...input, ...more }, changes)
      expect(answer).toMatchObject({ dry_run: true, result: 'created' })
      expect(refsOf(bare)).toBe('')
    }
    expect(await project.codeOf(gitPush, { ...input, confirm: 'true' }, changes)).toBe('ValidationError')
    const answer = await project.call(gitPush, { ...input, confirm: true }, changes)
    expect(answer).toMatchObject({ dry_run: false, result: 'created', remote: 'origin', branch: 'main' })
    expect(refsOf(bare)).toBe(`refs/heads/main ${project.git('rev-parse', 'main')}`)
    expect((await project.call(gitPush, { ...input, confirm: true }, changes)).result).toBe('up_to_date')
    project.put('a.txt', 'more\n')
    project.commitAll()
    expect((await project.call(gitPush, { ...input, confirm: true }, changes)).result).toBe('updated')
  })

  verifies(['TOOL-097', 'TOOL-098'], 'goes to a folder that `git remote add` has named', async () => {
    const { project, bare } = makeRemote()
    await using _ = project
    project.git('remote', 'add', 'origin', bare)
    const input = { remote: 'origin', branch: 'main' }
    expect(await project.call(gitPush, input)).toMatchObject({ dry_run: true, result: 'created' })
    expect(refsOf(bare)).toBe('')
    expect(await project.call(gitPush, { ...input, confirm: true })).toMatchObject({ dry_run: false })
    expect(refsOf(bare)).toBe(`refs/heads/main ${project.git('rev-parse', 'main')}`)
    const elsewhere = { config: { git: { remotes: { other: bare } } } }
    expect(await project.codeOf(gitPush, input, elsewhere)).toBe('ValidationError')
  })

  verifies(['TOOL-098', 'TOOL-101'], 'never forces: what would lose commits is an error', async () => {
    const { project, bare, changes } = makeRemote()
    await using _ = project
    const input = { remote: 'origin', branch: 'main', confirm: true }
    await project.call(gitPush, input, changes)
    project.git('config', 'push.default', 'matching')
    project.git('config', 'remote.origin.push', '+refs/heads/*:refs/heads/*')
    project.git('config', 'remote.origin.mirror', 'true')
    project.git('commit', '--quiet', '--amend', '--allow-empty', '--message', 'rewritten')
    project.git('branch', 'second')
    const before = refsOf(bare)
    for (const confirm of [false, true]) {
      const fault = await project
        .call(gitPush, { ...input, confirm }, changes)
        .catch((error: unknown) => error)
      expect(fault).toMatchObject({ code: 'CommandFailed', details: { exit_code: 1 } })
      expect((fault as { details: { stdout: string } }).details.stdout).toContain('[rejected]')
      expect(refsOf(bare)).toBe(before)
    }
  })

  verifies('TOOL-098', 'takes only the name of a configured remote and of a branch', async () => {
    const { project, bare, changes } = makeRemote()
    await using _ = project
    project.git('config', 'remote.other.url', bare)
    project.git('config', 'remote.plain.url', 'http://127.0.0.1:9/x')
    const remotes = [
      '--upload-pack=x',
      '--receive-pack=x',
      '-f',
      'https://git.example/x',
      bare,
      '.',
      'ext::sh',
      'nobody',
    ]
    for (const remote of [...remotes, 'git@h:x', 'a b', '', 'other', 'plain', 'constructor', '__proto__']) {
      const code = await project.codeOf(gitPush, { remote, branch: 'main', confirm: true }, changes)
      expect(code, remote).toBe('ValidationError')
    }
    for (const branch of [
      '+main',
      'main:main',
      ':main',
      '--all',
      '--force',
      '-d',
      'refs/*',
      'HEAD',
      'main~0',
      '',
      'a b',
    ]) {
      const code = await project.codeOf(gitPush, { remote: 'origin', branch, confirm: true }, changes)
      expect(code, branch).toBe('ValidationError')
    }
    expect(await project.codeOf(gitPush, { remote: 'origin', branch: 'absent' }, changes)).toBe(
      'CommandFailed',
    )
    expect(await project.codeOf(gitPush, { remote: 'origin', branch: 'main', force: true }, changes)).toBe(
      'ValidationError',
    )
    expect(refsOf(bare)).toBe('')
  })

  verifies(['TOOL-088', 'TOOL-096'], 'is declared for the release manager alone, and as critical', () => {
    expect(gitPush).toMatchObject({
      roles: ['release_manager'],
      required_role: 'release_manager',
      critical: true,
    })
  })

  test('into a folder has no network, and changes nothing else', async () => {
    const { project, bare, changes } = makeRemote()
    await using _ = project
    const before = project.fingerprint()
    writeHook(
      bare,
      'post-receive',
      `touch ${project.service_root}/hook ${project.base}/hook 2>/dev/null; ls /sys/class/net`,
    )
    const seen: boolean[] = []
    const sandbox: Sandbox = {
      require: () => realSandbox.require(),
      run: (profile, argv, options) => {
        seen.push(profile.network)
        return realSandbox.run(profile, argv, options)
      },
    }
    await project.call(gitPush, { remote: 'origin', branch: 'main', confirm: true }, { ...changes, sandbox })
    expect(seen).not.toContain(true)
    expect(project.fingerprint()).toBe(before)
    expect(readdirSync(project.base)).not.toContain('hook')
    expect(
      readdirSync(join(project.base, 'home/git-configs')).filter((name) => name.startsWith('lent')),
    ).toEqual([])
  })

  verifies('TOOL-100', 'gives the command nothing of the environment of the hub and no shell', async () => {
    const { project, bare, changes } = makeRemote()
    await using _ = project
    writeHook(bare, 'post-receive', 'env >&2')
    process.env.GIT_TEST_HUB_VALUE = 'of-the-hub'
    try {
      const answer = await project.call(gitPush, { remote: 'origin', branch: 'main', confirm: true }, changes)
      expect(answer.stderr).toContain('GIT_CONFIG_GLOBAL=/dev/null')
      expect(answer.stderr).not.toMatch(/of-the-hub|NODE|VITEST/)
    } finally {
      delete process.env.GIT_TEST_HUB_VALUE
    }
    project.git('branch', 'x;touch$IFS/tmp/y')
    const odd = { remote: 'origin', branch: 'x;touch$IFS/tmp/y', confirm: true }
    expect(await project.codeOf(gitPush, odd, changes)).toBe('success')
    expect(refsOf(bare)).toContain('refs/heads/x;touch$IFS/tmp/y')
  })

  verifies('TOOL-100', 'is ended with all its processes when nobody waits for it any more', async () => {
    const { project, bare, changes } = makeRemote()
    await using _ = project
    const argument = `98765.${process.pid}`
    writeHook(bare, 'pre-receive', `touch ${bare}/started; sleep ${argument}`)
    const stop = new AbortController()
    const input = { remote: 'origin', branch: 'main', confirm: true }
    const code = project.codeOf(gitPush, input, { ...changes, signal: stop.signal })
    await expect.poll(() => readdirSync(bare), { timeout: 20_000 }).toContain('started')
    await expect.poll(() => isRunning(argument), { timeout: 20_000 }).toBe(true)
    stop.abort()
    expect(await code).toBe('Timeout')
    await expect.poll(() => isRunning(argument), { timeout: 10_000 }).toBe(false)
    expect(refsOf(bare)).toBe('')
  })

  test('goes to no folder that an agent could have made', async () => {
    const { project, bare } = makeRemote()
    await using _ = project
    mkdirSync(join(project.service_root, 'own.git'))
    symlinkSync(bare, join(project.base, 'link.git'))
    const folders = [
      join(project.service_root, 'own.git'),
      join(project.base, 'link.git'),
      project.root,
      project.base,
    ]
    for (const origin of [...folders, join(project.base, 'absent.git'), join(project.base, 'home/x')]) {
      const config = { git: { remotes: { origin } } }
      expect(
        await project.codeOf(gitPush, { remote: 'origin', branch: 'main', confirm: true }, { config }),
        origin,
      ).toBe('NotConfigured')
    }
    runGit(project.base, ['init', '--quiet', 'worked-in'])
    for (const origin of [...folders, join(project.base, 'worked-in')]) {
      project.git('config', 'remote.origin.url', origin)
      const code = await project.codeOf(gitPush, { remote: 'origin', branch: 'main', confirm: true })
      expect(code, origin).toBe('NotConfigured')
    }
  })

  test('over https reaches the network, sends no credentials unasked and fails in words', async () => {
    const { project } = makeRemote()
    await using _ = project
    let connections = 0
    const server = createServer((socket) => {
      connections++
      socket.on('error', () => {})
      socket.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const config = { git: { remotes: { origin: `https://127.0.0.1:${port}/x.git` } } }
    try {
      expect(await project.codeOf(gitPush, { remote: 'origin', branch: 'main' }, { config })).toBe(
        'CommandFailed',
      )
      expect(connections).toBeGreaterThan(0)
      const ssh = { git: { remotes: { origin: 'git@127.0.0.1:x.git' } } }
      expect(await project.codeOf(gitPush, { remote: 'origin', branch: 'main' }, { config: ssh })).toBe(
        'NotSupported',
      )
    } finally {
      server.close()
    }
  })
})
