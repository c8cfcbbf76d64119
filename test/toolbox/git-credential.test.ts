import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  makeGitProject,
  realSandbox,
  runGit,
  writeAt,
} from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { gitPush, pushConfig } from '../../src/domains/toolbox/git/git-push.ts'
import { findCredential } from '../../src/domains/toolbox/git/repository/push-credential.ts'
import {
  findRemoteAddress,
  type RemoteAddress,
} from '../../src/domains/toolbox/git/repository/remote-address.ts'
import { readSettings } from '../../src/domains/toolbox/git/repository/trusted-config.ts'
import type { Sandbox } from '../../src/platform/sandbox/sandbox.ts'
import { verifies } from '../requirements/verifies.ts'

function address(text: string): RemoteAddress {
  return findRemoteAddress(text) as RemoteAddress
}

/** The real sandbox, and the configuration that git had for its push. */
function readingSandbox() {
  const configs: string[] = []
  const sandbox: Sandbox = {
    require: () => realSandbox.require(),
    run(profile, argv, options) {
      const read = () => profile.overlays.map(({ content_path }) => readFileSync(content_path, 'utf8'))
      if (argv.includes('push')) configs.push(...read())
      return realSandbox.run(profile, argv, options)
    },
  }
  return { sandbox, configs }
}

describe('the credential of a push', () => {
  verifies('TOOL-098', 'goes to no remote that only the repository names', async () => {
    await using project = makeGitProject()
    project.put('a.txt', 'a\n')
    project.commitAll()
    // Nobody listens there.
    const url = 'https://127.0.0.1:9/x.git'
    project.git('config', 'remote.own.url', url)
    writeAt(join(project.base, 'home/git-credentials/127.0.0.1'), 'bot:a-token\n', 0o600)
    const config = { git: { remotes: { origin: url } } }
    const { sandbox, configs } = readingSandbox()
    for (const remote of ['own', 'origin']) {
      const input = { remote, branch: 'main', confirm: true }
      expect(await project.codeOf(gitPush, input, { config, sandbox })).toBe('CommandFailed')
    }
    expect(configs.map((text) => text.includes('Authorization'))).toEqual([false, true])
  })

  test('goes to its own host only', async () => {
    await using project = makeGitProject()
    writeAt(join(project.base, 'home/git-credentials/git.example'), 'bot:a-token\n')
    chmodSync(join(project.base, 'home/git-credentials/git.example'), 0o600)
    const home = join(project.base, 'home')
    expect(findCredential(home, address('https://git.example.evil/x'))).toBeUndefined()
    expect(findCredential(home, address('git@git.example:x'))).toBeUndefined()
    const remote = address('https://Git.Example/team/x.git')
    const credential = findCredential(home, remote)
    const text = pushConfig(
      { settings: readSettings([]) },
      { name: 'origin', remote, is_in_policy: true },
      credential,
    )
    const file = join(project.base, 'push.config')
    writeFileSync(file, text)
    const header = (url: string) =>
      runGit(project.base, ['config', '-f', file, '--get-urlmatch', 'http.extraHeader', url])
    expect(header('https://git.example/team/x.git').trim()).toBe(
      `Authorization: Basic ${Buffer.from('bot:a-token').toString('base64')}`,
    )
    for (const other of ['https://evil.example/', 'http://git.example/', 'https://git.example:444/']) {
      expect(() => header(other), other).toThrow()
    }
  })

  test('that others may read, or that is no credential, is refused', async () => {
    await using project = makeGitProject()
    const home = join(project.base, 'home')
    const path = join(home, 'git-credentials/git.example')
    const remote = address('https://git.example/x')
    writeAt(path, 'bot:a-token\n')
    expect(() => findCredential(home, remote)).toThrow(expect.objectContaining({ code: 'ConfigDamaged' }))
    chmodSync(path, 0o600)
    expect(findCredential(home, remote)?.secrets).toContain('a-token')
    for (const wrong of ['', 'a-token', 'bot:a\r\nX: y', 'a:b\nc:d']) {
      writeFileSync(path, wrong)
      expect(() => findCredential(home, remote), wrong).toThrow(
        expect.objectContaining({ code: 'ConfigDamaged' }),
      )
    }
  })
})
